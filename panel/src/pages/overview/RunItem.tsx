import type { RunRow } from "../../api/types";
import { Ago } from "../../parts/Ago";
import { dollars, plural, short } from "../../parts/format";
import { Mark } from "../../parts/Mark";
import { memo } from "../../parts/memo";
import { Sparkline } from "../../parts/Sparkline";

/** Returns whether all words of a search stand in a run. */
export function matchesSearch(run: RunRow, search: string): boolean {
  const text = `${run.name} ${run.goal} ${run.project} ${run.model} ${run.task} ${run.state}`.toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

/** What a person should know first: its need, its trouble, or its last action. */
function Now({ run }: { run: RunRow }) {
  if (run.needs_you) return <span class="run-need">{run.needs_you}</span>;
  if (run.explained) return <span>{run.explained}</span>;
  if (run.trouble) return <span class="tone-red">! {run.trouble}</span>;
  if (run.reason && run.by) {
    return (
      <span>
        by {run.by}: “{run.reason}”
      </span>
    );
  }
  if (!run.last_action) return <span>{run.stopped_actions ? "what it wanted to run was stopped" : "nothing has run yet"}</span>;
  return <span class="mono">{run.last_action}</span>;
}

function destination(run: RunRow): { to: string; label: string } | null {
  if (run.approval) return { to: `/approvals/${encodeURIComponent(run.approval)}`, label: "Answer" };
  if (run.incident) return { to: `/incidents/${encodeURIComponent(run.incident)}`, label: "Decide" };
  return null;
}

interface RunItemProps {
  run: RunRow;
  /** The same function each time: a row is only drawn again for a change. */
  onFocus: (run: string) => void;
}

export const RunItem = memo(function RunItem({ run, onFocus }: RunItemProps) {
  const decide = destination(run);
  const counts = [
    run.changed_actions > 0 && `${run.changed_actions} changed`,
    run.stopped_actions > 0 && `${run.stopped_actions} stopped`,
  ].filter(Boolean);
  return (
    <li class={run.needs_you ? "run-item run-item-needs" : "run-item"}>
      <p class={`run-state tone-${run.tone || "plain"}`}>
        <Mark mark={run.mark} tone={run.tone} />
        {run.state}
      </p>
      <div class="run-what">
        <p class="cut">
          <a id={`run-${run.id}`} class="run-name" href={`/runs/${encodeURIComponent(run.id)}`} onFocus={() => onFocus(run.id)}>
            {run.name}
          </a>
          <span class="run-goal">{run.goal}</span>
        </p>
        <p class="run-now cut">
          <Now run={run} />
        </p>
      </div>
      <Sparkline values={run.risks} label="Risk of the last actions" />
      <p class="run-numbers">
        {plural(run.actions, "action")}
        {counts.length > 0 && <span class="run-counts">{counts.join(" · ")}</span>}
      </p>
      <p class="run-cost">
        {dollars(run.cost_usd)}
        <span class="dim">{run.tokens > 0 && `${short(run.tokens)} tokens`}</span>
      </p>
      <p class="run-when">
        <span class="cut">{run.model}</span>
        <Ago at={run.active ? run.started : run.changed} suffix={run.active ? "" : " ago"} />
      </p>
      {decide && (
        <a class="button button-primary button-small run-decide" href={decide.to}>
          {decide.label}
        </a>
      )}
    </li>
  );
});
