import { afterEach, describe, expect, it, vi } from "vitest";
import type { RunRow, TimelineRow } from "../src/api/types";
import { applyRuns, bySection } from "../src/live/sections";
import { mergeRows } from "../src/live/merge";
import { loadRuns, runs, takeRuns } from "../src/live/runs";
import { isSame } from "../src/parts/memo";

function run(values: Partial<RunRow>): RunRow {
  return { id: "a", seq: 1, needs_you: "", active: true, state: "working", started: 0, changed: 0, since: 0, ...values } as RunRow;
}

function row(seq: number, text = ""): TimelineRow {
  return { seq, text } as TimelineRow;
}

describe("runs", () => {
  it("that need a person come first, the longest wait at the top", () => {
    const all = [
      run({ id: "done", active: false }),
      run({ id: "paused", state: "paused" }),
      run({ id: "late", needs_you: "approve", since: 9 }),
      run({ id: "early", needs_you: "decide", since: 3 }),
      run({ id: "working" }),
    ];
    const sections = bySection(all);
    expect(sections.needs.map((each) => each.id)).toEqual(["early", "late"]);
    expect(sections.paused.map((each) => each.id)).toEqual(["paused"]);
    expect(sections.working.map((each) => each.id)).toEqual(["working"]);
    expect(sections.done.map((each) => each.id)).toEqual(["done"]);
  });

  it("are replaced by newer rows only, and leave when a frame says so", () => {
    const before = new Map([["a", run({ seq: 5, state: "new" })], ["b", run({ id: "b" })]]);
    const after = applyRuns(before, [{ position: 6, runs: [run({ seq: 4, state: "old" })], gone: ["b"] }]);
    expect([...after.keys()]).toEqual(["a"]);
    expect(after.get("a")?.state).toBe("new");
  });

  it("stay the same object when no frame is about them", () => {
    const before = new Map([["a", run({})]]);
    expect(applyRuns(before, [{ position: 6, approvals: true }])).toBe(before);
  });
});

describe("a list of runs that is on its way", () => {
  afterEach(() => vi.unstubAllGlobals());

  it("does not take back what the stream has told meanwhile", async () => {
    let answer = (_: Response): void => undefined;
    vi.stubGlobal("fetch", () => new Promise<Response>((then) => (answer = then)));
    const loading = loadRuns();
    takeRuns([{ position: 9, runs: [run({ seq: 5, state: "needs you" })] }]);
    const items = [run({ seq: 4, state: "working" }), run({ id: "b" })];
    answer(Response.json({ items, next: "", total: 2 }));
    await loading;
    expect(runs.value.get("a")?.state).toBe("needs you");
    expect(runs.value.has("b")).toBe(true);
  });
});

describe("a row that is drawn only for a change", () => {
  it("is the same with the same values, whatever object they come in", () => {
    const item = run({});
    expect(isSame({ item, chosen: false }, { item, chosen: false })).toBe(true);
    expect(isSame({ item, chosen: false }, { item, chosen: true })).toBe(false);
    expect(isSame({ item }, { item: run({}) })).toBe(false);
    expect(isSame<{ item?: RunRow }>({}, { item })).toBe(false);
  });
});

describe("a timeline", () => {
  it("takes new rows at its end and old ones at its beginning", () => {
    expect(mergeRows([row(2)], [row(4), row(3)], true).map((each) => each.seq)).toEqual([2, 3, 4]);
    expect(mergeRows([row(5)], [row(1)], false).map((each) => each.seq)).toEqual([1, 5]);
  });

  it("replaces a row by a newer version, and never by an older one", () => {
    expect(mergeRows([row(2, "old"), row(3)], [row(2, "new")], true)[0]?.text).toBe("new");
    expect(mergeRows([row(2, "new"), row(3)], [row(2, "old")], false)[0]?.text).toBe("new");
  });
});
