import { describe, expect, it } from "vitest";
import { readCodeSpans, readInline, readMarkdown } from "../src/parts/readMarkdown";

const text = (it: string) => ({ kind: "text", text: it });

describe("Markdown of a report", () => {
  it("has headings, paragraphs over several lines, code and lists", () => {
    const blocks = readMarkdown("# One\ntwo\nthree\n\n- a\n- b\n\n```sh\nls # no heading\n```\n1. x");
    expect(blocks).toEqual([
      { kind: "heading", level: 1, items: [text("One")] },
      { kind: "paragraph", items: [text("two three")] },
      { kind: "list", ordered: false, items: [[{ kind: "paragraph", items: [text("a")] }], [{ kind: "paragraph", items: [text("b")] }]] },
      { kind: "code", text: "ls # no heading" },
      { kind: "list", ordered: true, items: [[{ kind: "paragraph", items: [text("x")] }]] },
    ]);
  });

  it("has lists and command lines inside the items of a list", () => {
    const blocks = readMarkdown("- **abort**: end\n  It cleans up:\n\n      handrail incident\n\n  - file `a`\n\n- next");
    expect(blocks).toEqual([
      {
        kind: "list",
        ordered: false,
        items: [
          [
            {
              kind: "paragraph",
              items: [{ kind: "strong", items: [text("abort")] }, text(": end It cleans up:")],
            },
            { kind: "code", text: "handrail incident" },
            {
              kind: "list",
              ordered: false,
              items: [[{ kind: "paragraph", items: [text("file "), { kind: "code", text: "a" }] }]],
            },
          ],
          [{ kind: "paragraph", items: [text("next")] }],
        ],
      },
    ]);
  });

  it("has tables", () => {
    expect(readMarkdown("| a | b |\n|---|---|\n| 1 \\| 2 | `x` |")).toEqual([
      {
        kind: "table",
        head: [[text("a")], [text("b")]],
        rows: [[[text("1 | 2")], [{ kind: "code", text: "x" }]]],
      },
    ]);
  });

  it("keeps what is escaped, and everything that looks like HTML, as text", () => {
    expect(readInline("\\*a\\* <img src=x onerror=1> [l](javascript:1)")).toEqual([
      text("*a* <img src=x onerror=1> [l](javascript:1)"),
    ]);
    expect(readInline("`` a`b `` and snake_case_name")).toEqual([
      { kind: "code", text: "a`b" },
      text(" and snake_case_name"),
    ]);
  });

  it("reads a text of many signs without delay", () => {
    for (const hostile of ["*".repeat(20_000), "`".repeat(20_000), "_a".repeat(10_000), "- ".repeat(10_000)]) {
      expect(readMarkdown(hostile).length).toBeGreaterThan(0);
    }
  });
});

describe("a sentence with code in it", () => {
  it("sets off the code, and leaves everything else as it is", () => {
    expect(readCodeSpans("`make` said: *** No rule \\* __x__ <b> `")).toEqual([
      { kind: "code", text: "make" },
      text(" said: *** No rule \\* __x__ <b> `"),
    ]);
    expect(readCodeSpans("")).toEqual([]);
  });
});
