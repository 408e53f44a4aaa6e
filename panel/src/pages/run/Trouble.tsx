/** Where a run went wrong, in one line that leads there. */
import { CodeSpans } from "../../parts/Markdown";
import type { TroublePoint } from "./firstTrouble";

interface TroubleProps {
  point: TroublePoint;
  onStep: (step: number) => void;
}

export function Trouble({ point, onStep }: TroubleProps) {
  return (
    <p class={`trouble trouble-${point.tone}`}>
      <span class={`tone-${point.tone}`}>{point.tone === "red" ? "✗" : "!"} Went wrong</span>
      <span class="cut trouble-says">
        <CodeSpans text={point.says} />
      </span>
      {point.more > 0 && <span class="dim">and {point.more} more</span>}
      {point.step > 0 && (
        <button type="button" class="button button-small" onClick={() => onStep(point.step)}>
          Show action {point.step}
        </button>
      )}
    </p>
  );
}
