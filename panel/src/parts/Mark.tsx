/** A sign with its colour. The word beside it says the same, so colour is never needed. */
import type { Tone } from "../api/types";

const NO_TONE = "plain";

export function Mark({ mark, tone }: { mark: string; tone: Tone }) {
  return (
    <span class={`mark tone-${tone || NO_TONE}`} aria-hidden="true">
      {mark}
    </span>
  );
}
