import { describe, expect, it } from "vitest";
import type { FindingRow, TimelineRow } from "../src/api/types";
import { inputText } from "../src/parts/actionText";
import { lastOf, splitByLevel } from "../src/pages/run/levels";
import { firstTrouble } from "../src/pages/run/firstTrouble";
import { readDiff } from "../src/parts/readDiff";

function finding(values: Partial<FindingRow>): FindingRow {
  return { at: 0, step: 9, severity: "low", says: "loop", evidence: [], feedback: "", ...values } as FindingRow;
}

const STOPPED = { kind: "action", tone: "red", step: 5, text: "rm -rf /" } as TimelineRow;

describe("where a run went wrong", () => {
  it("is the first of the worst findings, where its evidence begins", () => {
    const all = [
      finding({ says: "later", severity: "high", at: 3, evidence: [8] }),
      finding({ says: "first", severity: "high", at: 2, evidence: [7, 4] }),
      finding({ says: "small", at: 1 }),
    ];
    expect(firstTrouble(all, [])).toEqual({ step: 4, says: "first", tone: "red", more: 2 });
  });

  it("is a breach before anything else", () => {
    const breach = { kind: "finding", tone: "red", step: 4, text: "BREACH: it ran in another form" } as TimelineRow;
    expect(firstTrouble([finding({ severity: "high" })], [breach])?.says).toBe(breach.text);
  });

  it("is no finding that a person called wrong", () => {
    expect(firstTrouble([finding({ feedback: "wrong" })], [])).toBeNull();
  });

  it("is the first stopped action if nothing was found", () => {
    expect(firstTrouble([], [STOPPED])).toEqual({ step: 5, says: "stopped: rm -rf /", tone: "red", more: 0 });
  });
});

describe("a diff", () => {
  it("has its lines numbered on both sides", () => {
    const files = readDiff("--- a/x.py\n+++ b/x.py\n@@ -1,2 +1,3 @@\n a\n-b\n+c\n+d\n");
    expect(files?.[0]?.name).toBe("x.py");
    expect(files?.[0]?.lines.map((line) => [line.sign, line.old, line.now, line.text])).toEqual([
      ["@", "", "", "line 1"],
      [" ", "1", "1", "a"],
      ["-", "2", "", "b"],
      ["+", "", "2", "c"],
      ["+", "", "3", "d"],
    ]);
  });

  it("that is broken is shown as text", () => {
    expect(readDiff("--- a\n+++ b\n@@ -1,9 +1,9 @@\n+only\n")).toBeNull();
  });
});

describe("charts", () => {
  it("split values by level, and know the last one", () => {
    const levels = [
      { from: 0, colour: "dim" },
      { from: 0.5, colour: "red" },
    ];
    expect(splitByLevel([0.1, null, 0.9], levels)).toEqual([
      [0.1, null, null],
      [null, null, 0.9],
    ]);
    expect(lastOf([1, 2, null])).toBe(2);
    expect(lastOf([null])).toBeNull();
  });
});

describe("an action's input", () => {
  it("is its command, or all its fields", () => {
    expect(inputText({ command: "ls", description: "list" })).toBe("ls");
    expect(inputText({ file_path: "a", limit: 3 })).toBe("file_path: a\nlimit: 3");
  });
});
