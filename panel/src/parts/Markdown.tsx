/** Shows Markdown as elements: whatever stands in a report, it never becomes markup. */
import { useMemo } from "preact/hooks";
import { type Block, type Inline, readCodeSpans, readInline, readMarkdown } from "./readMarkdown";
import "../style/markdown.css";

function Pieces({ of }: { of: readonly Inline[] }) {
  return (
    <>
      {of.map((piece, index) => {
        if (piece.kind === "text") return piece.text;
        if (piece.kind === "code") return <code key={index}>{piece.text}</code>;
        const Name = piece.kind === "strong" ? "strong" : "em";
        return (
          <Name key={index}>
            <Pieces of={piece.items} />
          </Name>
        );
      })}
    </>
  );
}

function Table({ of }: { of: Extract<Block, { kind: "table" }> }) {
  return (
    <table class="table">
      <thead>
        <tr>
          {of.head.map((cell, index) => (
            <th key={index} scope="col">
              <Pieces of={cell} />
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {of.rows.map((row, index) => (
          <tr key={index}>
            {row.map((cell, column) => (
              <td key={column}>
                <Pieces of={cell} />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const HEADINGS = ["h2", "h2", "h3", "h4", "h5", "h6"] as const;

function Blocks({ of }: { of: readonly Block[] }) {
  return (
    <>
      {of.map((block, index) => {
        switch (block.kind) {
          case "heading": {
            const Name = HEADINGS[block.level - 1] ?? "h6";
            return (
              <Name key={index}>
                <Pieces of={block.items} />
              </Name>
            );
          }
          case "paragraph":
            return (
              <p key={index}>
                <Pieces of={block.items} />
              </p>
            );
          case "code":
            return (
              <pre key={index} class="command" tabIndex={0}>
                {block.text}
              </pre>
            );
          case "table":
            return <Table key={index} of={block} />;
          case "list": {
            const Name = block.ordered ? "ol" : "ul";
            return (
              <Name key={index}>
                {block.items.map((item, at) => (
                  <li key={at}>
                    <Blocks of={item} />
                  </li>
                ))}
              </Name>
            );
          }
        }
      })}
    </>
  );
}

export function Markdown({ text }: { text: string }) {
  const blocks = useMemo(() => readMarkdown(text), [text]);
  return (
    <div class="markdown">
      <Blocks of={blocks} />
    </div>
  );
}

/** One line, without paragraphs around it. */
export function MarkdownLine({ text }: { text: string }) {
  const pieces = useMemo(() => readInline(text), [text]);
  return <Pieces of={pieces} />;
}

/** Plain text in which only `code` is set off: nothing else in it changes. */
export function CodeSpans({ text }: { text: string }) {
  const pieces = useMemo(() => readCodeSpans(text), [text]);
  return <Pieces of={pieces} />;
}
