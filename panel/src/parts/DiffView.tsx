/** A unified diff: every line has its sign, and the changed words of a line stand out. */
import { diffWordsWithSpace } from "diff";
import { useMemo } from "preact/hooks";
import { type Line, readDiff } from "./readDiff";

const MOST_LINES = 3000;

const CLASSES = { "+": "diff-added", "-": "diff-removed", " ": "", "@": "diff-hunk" } as const;

function DiffLine({ line }: { line: Line }) {
  return (
    <tr class={CLASSES[line.sign]}>
      <td class="diff-number">{line.old}</td>
      <td class="diff-number">{line.now}</td>
      <td class="diff-sign">{line.sign === "@" ? "…" : line.sign}</td>
      <td class="diff-text">{line.text}</td>
    </tr>
  );
}

export function DiffView({ diff }: { diff: string }) {
  const files = useMemo(() => readDiff(diff), [diff]);
  if (!files) return <pre class="ansi">{diff}</pre>;
  return (
    <>
      {files.map((file, index) => (
        <figure key={index} class="diff">
          {file.name && <figcaption class="mono cut">{file.name}</figcaption>}
          <div class="diff-scroll" tabIndex={0}>
            <table aria-label={`Changes of ${file.name || "a text"}`}>
              <tbody>
                {file.lines.slice(0, MOST_LINES).map((line, at) => (
                  <DiffLine key={at} line={line} />
                ))}
              </tbody>
            </table>
          </div>
          {file.lines.length > MOST_LINES && <p class="dim">{file.lines.length - MOST_LINES} more lines</p>}
        </figure>
      ))}
    </>
  );
}

/** What became of a command or a text: removed words struck through, new ones marked. */
export function WordDiff({ before, after }: { before: string; after: string }) {
  const parts = useMemo(() => diffWordsWithSpace(before, after), [before, after]);
  return (
    <pre class="command">
      {parts.map((part, index) => {
        if (part.added) return <ins key={index}>{part.value}</ins>;
        return part.removed ? <del key={index}>{part.value}</del> : part.value;
      })}
    </pre>
  );
}
