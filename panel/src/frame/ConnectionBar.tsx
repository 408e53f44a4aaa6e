/** Says at once when the daemon is gone, and disappears when it is back. */
import { daemonProblem, health } from "../live/connection";

export function ConnectionBar() {
  const dead = health.value === "dead";
  const problem = daemonProblem.value;
  return (
    <div role="status" aria-live="assertive">
      {dead && (
        <p class="bar bar-red">
          <strong>✗ Handrail's daemon does not answer.</strong> The panel shows what it knew last, and tries again by
          itself. To start it: <code>handrail serve</code>
        </p>
      )}
      {!dead && problem && (
        <p class="bar bar-yellow">
          <strong>! Handrail has a problem.</strong> {problem}
        </p>
      )}
    </div>
  );
}
