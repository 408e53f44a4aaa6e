/** Signs and words for pipelines and their steps. */
import type { PipelineRow, Tone } from "../../api/types";

interface Sign {
  mark: string;
  tone: Tone;
  says: string;
}

const STEPS: Readonly<Record<string, Sign>> = {
  waiting: { mark: "◇", tone: "dim", says: "waits" },
  running: { mark: "●", tone: "green", says: "runs" },
  ok: { mark: "✓", tone: "green", says: "ok" },
  failed: { mark: "✗", tone: "red", says: "failed" },
  blocked_by_reviewer: { mark: "✗", tone: "red", says: "stopped by Handrail" },
  skipped: { mark: "○", tone: "dim", says: "skipped" },
  interrupted: { mark: "‖", tone: "yellow", says: "interrupted" },
  not_run: { mark: "○", tone: "dim", says: "not run" },
};

const ERRORS: Readonly<Record<string, string>> = {
  step_failed: "a step failed",
  blocked_by_reviewer: "Handrail stopped an action",
  interrupted: "interrupted",
};

/** What the reviews of a pipeline are counted by, as people call it. */
export const REVIEW_WORDS: readonly { name: string; says: string; tone: Tone }[] = [
  { name: "total", says: "actions", tone: "" },
  { name: "allowed", says: "allowed", tone: "green" },
  { name: "warned", says: "warned", tone: "yellow" },
  { name: "modified", says: "changed", tone: "yellow" },
  { name: "blocked_count", says: "stopped", tone: "red" },
];

/** Returns the sign of a step. */
export function signOfStep(status: string): Sign {
  return STEPS[status] ?? { mark: "·", tone: "", says: status };
}

/** Returns the sign of a pipeline. */
export function signOfPipeline(pipeline: PipelineRow): Sign {
  if (pipeline.status === "running") return { mark: "●", tone: "green", says: "running" };
  if (pipeline.status === "ok") return { mark: "✓", tone: "green", says: "ok" };
  return { mark: "✗", tone: "red", says: ERRORS[pipeline.error] ?? (pipeline.error || "failed") };
}
