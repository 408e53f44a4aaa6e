import { describe, expect, it } from "vitest";
import { revealed, revealing } from "../src/api/reveal";

describe("hidden characters", () => {
  it("are shown as their codes", () => {
    expect(revealed("rm \u202eexe.txt\u0000")).toBe("rm \\u{202e}exe.txt\\u{0}");
  });
  it("leave lines, tabs and other writing alone", () => {
    const text = "a\tb\nشكرا नमस्ते 👍🏽 café";
    expect(revealed(text)).toBe(text);
  });
  it("leave the colours of output alone, and nothing else of it", () => {
    const read = JSON.parse('{"output": "\\u001b[32mok\\u001b[0m\\u0007", "goal": "\\u001b[2J"}', revealing);
    expect(read).toEqual({ output: "\u001b[32mok\u001b[0m\\u{7}", goal: "\\u{1b}[2J" });
  });
});
