import type { TimelineRow } from "../../api/types";
import { clock } from "../../parts/format";
import { CodeSpans, MarkdownLine } from "../../parts/Markdown";
import { Mark } from "../../parts/Mark";
import { isCheck } from "./screenshots";

interface TimelineItemProps {
  row: TimelineRow;
  top: number;
  chosen: boolean;
  isEvidence: boolean;
  onChoose: (row: TimelineRow) => void;
}

const MARGINS = { red: "row-red", yellow: "row-yellow" } as const;

function classesOf(row: TimelineRow, chosen: boolean, isEvidence: boolean): string {
  const margin = row.tone === "red" || row.tone === "yellow" ? MARGINS[row.tone] : "";
  return ["row", `row-${row.kind}`, margin, chosen && "row-chosen", isEvidence && "row-evidence"].filter(Boolean).join(" ");
}

function Lines({ added, removed }: { added: number; removed: number }) {
  if (!added && !removed) return null;
  return (
    <span class="row-lines">
      <span class="tone-green">+{added}</span> <span class="tone-red">−{removed}</span>
    </span>
  );
}

/** The column is narrow, and on a desktop run every tool begins with the same word. */
function shortTool(tool: string): string {
  return tool.replace(/^Desktop(?=.)/, "");
}

function ActionRow({ row }: { row: TimelineRow }) {
  return (
    <>
      <span class="row-tool" title={row.tool}>
        {shortTool(row.tool)}
      </span>
      <span class="row-text mono cut">{row.text}</span>
      <Lines added={row.added} removed={row.removed} />
      <span class={`row-status tone-${row.tone || "dim"}`}>
        {row.status} <Mark mark={row.mark} tone={row.tone} />
      </span>
    </>
  );
}

function EventRow({ row }: { row: TimelineRow }) {
  return (
    <>
      <Mark mark={row.mark} tone={row.tone} />
      <span class={`row-text cut ${row.kind === "finding" ? `tone-${row.tone}` : ""}`}>
        {row.kind === "intervention" ? <MarkdownLine text={row.text} /> : <CodeSpans text={row.text} />}
      </span>
      {row.desktop?.screenshot && <span class="row-status dim">picture</span>}
      {row.about.length > 0 && <span class="row-status dim">actions {row.about.slice(0, 6).join(", ")}</span>}
    </>
  );
}

/** The whole row is a button: a click or Enter shows the action beside it. */
export function TimelineItem({ row, top, chosen, isEvidence, onChoose }: TimelineItemProps) {
  const isAction = row.kind === "action";
  const content = (
    <>
      <span class="row-line">
        <time class="row-time">{clock(row.at)}</time>
        {row.agent && (
          <span class="chip" title={`Sub-agent ${row.agent}`}>
            {row.agent}
          </span>
        )}
        {isAction ? <ActionRow row={row} /> : <EventRow row={row} />}
      </span>
      {row.remark && <span class="row-remark cut">{row.remark}</span>}
    </>
  );
  return (
    <li class={classesOf(row, chosen, isEvidence)} style={{ transform: `translateY(${top}px)` }}>
      {isAction || isCheck(row) || row.about.length > 0 ? (
        <button type="button" class="row-button" aria-pressed={chosen} tabIndex={-1} onClick={() => onChoose(row)}>
          {content}
        </button>
      ) : (
        <div class="row-button">{content}</div>
      )}
    </li>
  );
}
