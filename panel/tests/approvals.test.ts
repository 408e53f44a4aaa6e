import { describe, expect, it } from "vitest";
import type { ApprovalRow } from "../src/api/types";
import { whyNot } from "../src/pages/approvals/answers";
import { editableTexts, editsOf, standingOf, timeLeft } from "../src/pages/approvals/standing";

function row(values: Partial<ApprovalRow>): ApprovalRow {
  return { state: "waiting", until: 100, editable: true, always: "", ...values } as ApprovalRow;
}

describe("a question", () => {
  it("expires by the clock, even before the daemon says so", () => {
    expect(standingOf(row({}), 99)).toBe("waiting");
    expect(standingOf(row({}), 100)).toBe("expired");
    expect(standingOf(row({ state: "approved" }), 999)).toBe("approved");
  });

  it("counts seconds near its end", () => {
    expect([1900, 220, 149, 100.5, 99].map((until) => timeLeft(until, 100))).toEqual([
      "30 min left",
      "2 min left",
      "49 s left",
      "1 s left",
      "no time left",
    ]);
  });

  it("takes only the answers that are possible, and tells why not", () => {
    expect(whyNot("approve", row({}), 99)).toBe("");
    expect(whyNot("approve", row({}), 100)).toBe("It has expired.");
    expect(whyNot("deny", row({ state: "approved" }), 1)).toBe("It was approved already.");
    expect(whyNot("edit", row({ editable: false }), 1)).toBe("Only a command can be edited.");
    expect(whyNot("always", row({}), 1)).toBe("No rule can allow it for good.");
  });
});

describe("an edit", () => {
  it("is about the command of an action, else about all its texts", () => {
    expect(editableTexts({ command: "ls", description: "list", timeout: 3 })).toEqual([["command", "ls"]]);
    expect(editableTexts({ a: "x", n: 1, b: "y" })).toEqual([["a", "x"], ["b", "y"]]);
  });

  it("sends what differs, and nothing else", () => {
    expect(editsOf({ command: "ls", cwd: "/" }, { command: "ls -la", cwd: "/" })).toEqual({ command: "ls -la" });
  });
});
