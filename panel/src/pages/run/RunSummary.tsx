/** The right column while no action is chosen: findings, and what the run may do. */
import type { FindingRow, RunDetail, RunRow } from "../../api/types";
import { plural } from "../../parts/format";
import { FindingsPanel } from "./FindingsPanel";

interface RunSummaryProps {
  run: RunRow;
  detail: RunDetail | null;
  findings: readonly FindingRow[];
  onStep: (step: number) => void;
  onFeedback: () => void;
}

function Facts({ run, detail }: { run: RunRow; detail: RunDetail }) {
  const facts = [
    ["Folder", run.cwd],
    ["Task", run.task],
    ["Checked by", detail.verify],
    ["Scope", detail.scope.join("  ")],
    ["Limits", Object.entries(detail.limits).map(([name, value]) => `${name} ${value}`).join("  ")],
    ["Host", run.host],
    ["Session", detail.session],
  ].filter(([, value]) => value);
  return (
    <dl class="facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd class="mono">{value}</dd>
        </div>
      ))}
      <div>
        <dt>Saved</dt>
        <dd>
          <a href={`/checkpoints?run=${encodeURIComponent(run.id)}`}>{plural(detail.checkpoints, "checkpoint")}</a>
        </dd>
      </div>
    </dl>
  );
}

export function RunSummary({ run, detail, findings, onStep, onFeedback }: RunSummaryProps) {
  return (
    <section class="action" aria-label="About this run">
      <h2 class="sr-only">About this run</h2>
      {run.held.length > 0 && (
        <section class="part">
          <h3>Waits until it goes on</h3>
          {run.held.map((each) => (
            <pre key={each} class="command">
              {each}
            </pre>
          ))}
        </section>
      )}
      <section class="part">
        <h3>Findings</h3>
        <FindingsPanel run={run.id} findings={findings} onStep={onStep} onFeedback={onFeedback} />
      </section>
      {detail?.prompt && (
        <section class="part">
          <h3>What it was asked</h3>
          <p class="prompt">{detail.prompt}</p>
        </section>
      )}
      {detail && <Facts run={run} detail={detail} />}
    </section>
  );
}
