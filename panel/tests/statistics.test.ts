import { describe, expect, test } from "vitest";
import type { ReplayResult, StatisticsRow } from "../src/api/types";
import { dailyCosts, percent, totalsOf } from "../src/pages/statistics/sums";
import { summaryOf } from "../src/pages/statistics/WhatIf";

const ROW: StatisticsRow = {
  project: "shop",
  host: "claude",
  runs: 2,
  actions: 10,
  changed: 1,
  stopped: 2,
  findings: 3,
  interventions: 2,
  helped: 1,
  tokens: 100,
  cost_usd: 0.5,
};

describe("statistics", () => {
  test("add up all projects and hosts", () => {
    expect(totalsOf([ROW, { ...ROW, host: "other" }])).toMatchObject({ runs: 4, actions: 20, cost_usd: 1 });
    expect(totalsOf([]).actions).toBe(0);
  });

  test("show shares as people read them", () => {
    expect(percent(1, 4)).toBe("25 %");
    expect(percent(1, 1000)).toBe("<1 %");
    expect(percent(0, 10)).toBe("0 %");
    expect(percent(0, 0)).toBe("–");
  });

  test("fill the days without cost", () => {
    expect(dailyCosts({ "2026-11-14": 2, "2026-11-16": 1 })).toEqual([
      { day: "2026-11-14", cost: 2 },
      { day: "2026-11-15", cost: 0 },
      { day: "2026-11-16", cost: 1 },
    ]);
    expect(dailyCosts({ "not a day": 1 })).toEqual([]);
  });
});

describe("a replay", () => {
  const result: ReplayResult = { runs: 1, actions: 20, differences: [], cut: false, seconds: 1 };

  test("says that nothing changes", () => {
    expect(summaryOf(result)).toBe("Of 20 actions in 1 run, all would have been decided the same.");
  });

  test("says when it is only a part", () => {
    const difference = { run: "r", run_name: "r", step: 1, says: "", before: "allow", after: "block", why: "" };
    expect(summaryOf({ ...result, differences: [difference], cut: true })).toMatch(/1 would .* first part/);
  });
});
