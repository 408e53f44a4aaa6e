/** One emergency stop: what happened, what is still alive, and the ways on. */
import { useSignal } from "@preact/signals";
import { api } from "../../api/client";
import type { IncidentDetail, RecoveryRow } from "../../api/types";
import { useLoaded } from "../../live/loaded";
import { READ_ONLY, readOnly } from "../../live/rights";
import { reloads } from "../../live/runs";
import { Ago } from "../../parts/Ago";
import { Empty } from "../../parts/Empty";
import { Markdown, MarkdownLine } from "../../parts/Markdown";
import { clock } from "../../parts/format";
import { RecoveryDialog } from "./RecoveryDialog";
import "./incidents.css";

interface IncidentPanelProps {
  id: string;
  onDecided: () => void;
}

export function IncidentPanel({ id, onDecided }: IncidentPanelProps) {
  const { value, problem, again } = useLoaded(
    () => api.get("/incidents/{incident}", { incident: id }),
    [id, reloads.value],
  );
  const chosen = useSignal<RecoveryRow | null>(null);
  const said = useSignal("");
  if (problem && !value) return <Empty title="This incident could not be read.">{problem}</Empty>;
  if (!value) return <p class="loading">Reading the report …</p>;
  return (
    <article class="record">
      <Head incident={value} />
      <p role="status" class={said.value ? "note note-green" : "sr-only"}>
        <span>{said.value}</span>
      </p>
      <Left left={value.left} />
      {value.row.open && <WaysOn options={value.options} onChoose={(option) => (chosen.value = option)} />}
      <details class="incident-part">
        <summary>Timeline</summary>
        <ol class="lines incident-timeline">
          {value.timeline.map((line, index) => (
            <li key={index}>
              <MarkdownLine text={line} />
            </li>
          ))}
        </ol>
      </details>
      <details class="incident-part" open>
        <summary>Report</summary>
        <Markdown text={withoutTitle(value.report)} />
      </details>
      {chosen.value && (
        <RecoveryDialog
          incident={value.row}
          option={chosen.value}
          onClose={() => (chosen.value = null)}
          onDone={(says) => {
            chosen.value = null;
            said.value = says;
            again();
            onDecided();
          }}
        />
      )}
    </article>
  );
}

/** The page has its own title, and the timeline stands beside the report. */
function withoutTitle(report: string): string {
  return report.replace(/^# .*\n+/, "").replace(/^## Timeline\n[\s\S]*?(?=^## |(?![\s\S]))/m, "");
}

function Head({ incident: { row } }: { incident: IncidentDetail }) {
  return (
    <header class="record-head">
      <h1>
        <span class={row.open ? "tone-red" : "dim"} aria-hidden="true">
          {row.open ? "■ " : "○ "}
        </span>
        {row.run_name} was stopped
      </h1>
      <p>{row.says}</p>
      <p class="record-state">
        <span>{row.cause}</span>
        <span title={clock(row.at)}>
          <Ago at={row.at} suffix=" ago" />
        </span>
        <a href={`/runs/${encodeURIComponent(row.run)}`}>Show the run</a>
        {row.open ? (
          <strong class="tone-red">waits for your decision</strong>
        ) : (
          <span>decided: {row.decided || "elsewhere"}</span>
        )}
      </p>
    </header>
  );
}

function Left({ left }: { left: readonly string[] }) {
  if (left.length === 0) return null;
  return (
    <div class="note note-red">
      <strong>Still alive:</strong>
      <ul class="mono">
        {left.map((each) => (
          <li key={each}>{each}</li>
        ))}
      </ul>
    </div>
  );
}

function WaysOn({ options, onChoose }: { options: readonly RecoveryRow[]; onChoose: (option: RecoveryRow) => void }) {
  return (
    <section class="card ways" aria-labelledby="ways-on">
      <h2 id="ways-on">How it can go on</h2>
      <ul>
        {options.map((each) => {
          const whyNot = readOnly.value ? READ_ONLY : each.possible ? "" : each.why_not;
          return (
            <li key={each.option} class="way">
              <button
                type="button"
                class={each.option === "abort" ? "button button-danger" : "button"}
                aria-disabled={whyNot ? "true" : undefined}
                aria-describedby={`way-${each.option}`}
                onClick={() => !whyNot && onChoose(each)}
              >
                {each.label}
              </button>
              <p id={`way-${each.option}`}>
                <MarkdownLine text={each.says} />
                {whyNot && <span class="dim"> Not possible: {whyNot}</span>}
              </p>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
