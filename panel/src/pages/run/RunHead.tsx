import type { RunDetail, RunRow } from "../../api/types";
import { Ago } from "../../parts/Ago";
import { dollars, plural, short } from "../../parts/format";
import { Icon } from "../../parts/Icon";
import { Mark } from "../../parts/Mark";
import { Controls } from "./Controls";

/** Why it is in this state, or what it needs: the sentence under its name. */
function Need({ run }: { run: RunRow }) {
  const link = run.approval
    ? { to: `/approvals/${encodeURIComponent(run.approval)}`, label: "Answer" }
    : run.incident && { to: `/incidents/${encodeURIComponent(run.incident)}`, label: "Decide" };
  if (run.needs_you) {
    return (
      <p class="run-need-box">
        <span>
          <strong class="tone-red" aria-hidden="true">
            ▲
          </strong>{" "}
          {run.needs_you}
        </span>
        {link && (
          <a class="button button-primary" href={link.to}>
            {link.label}
          </a>
        )}
      </p>
    );
  }
  if (run.explained) return <p class="dim">{run.explained}</p>;
  if (!run.by || !run.reason) return null;
  return (
    <p class="dim">
      by {run.by}, <Ago at={run.since} suffix=" ago" />: “{run.reason}”
    </p>
  );
}

function facts(run: RunRow): string[] {
  return [
    run.iteration ? `iteration ${run.iteration}${run.iterations ? ` of ${run.iterations}` : ""}` : "",
    run.model,
    plural(run.actions, "action"),
    run.changed_actions ? `${run.changed_actions} changed` : "",
    run.stopped_actions ? `${run.stopped_actions} stopped` : "",
    dollars(run.cost_usd),
    run.tokens ? `${short(run.tokens)} tokens` : "",
  ].filter(Boolean);
}

export function RunHead({ run, detail }: { run: RunRow; detail: RunDetail | null }) {
  return (
    <header class="run-head">
      <div class="run-title">
        <a class="icon-button narrow-only" href="/" aria-label="All runs">
          <Icon name="back" />
        </a>
        <h1>{run.name}</h1>
        <span class={`run-sign tone-${run.tone || "plain"}`}>
          <Mark mark={run.mark} tone={run.tone} />
          {run.state}
        </span>
        <span class="run-facts dim">
          {facts(run).join(" · ")} · <Ago at={run.started} />
        </span>
      </div>
      {run.goal && (
        <p class="run-goal-line cut" title={run.goal}>
          <span class="dim">goal</span> {run.goal}
        </p>
      )}
      <Need run={run} />
      <Controls id={run.id} detail={detail} />
    </header>
  );
}
