/** How the last command stands: requested → acknowledged → confirmed. */
import { Icon } from "../../parts/Icon";
import { forget, isOver, requests } from "./requests";

const STAGES = ["requested", "acknowledged", "confirmed"] as const;

export function RequestState({ run }: { run: string }) {
  const progress = requests.value.get(run);
  if (!progress) return <p class="request" role="status" />;
  const refused = progress.stage === "refused";
  const reached = STAGES.findIndex((each) => each === progress.stage);
  const said = [progress.says, ...progress.evidence].filter(Boolean).join("; ");
  return (
    <p class="request" role="status" title={said}>
      <strong>{progress.command}</strong>
      {refused ? (
        <span class="tone-red">✗ refused</span>
      ) : (
        STAGES.slice(0, reached + 1).map((stage, index) => (
          <span key={stage} class={stage === "confirmed" ? "tone-green" : "dim"}>
            {index > 0 && "→ "}
            {stage === "confirmed" ? "✓ confirmed" : stage}
            {stage === progress.stage && !isOver(progress) && " …"}
          </span>
        ))
      )}
      {said && <span class="dim cut">({said})</span>}
      {isOver(progress) && (
        <button type="button" class="icon-button request-close" aria-label="Close" onClick={() => forget(run)}>
          <Icon name="close" />
        </button>
      )}
    </p>
  );
}
