/** Findings with their evidence, what was done about each, and whether it helped. */
import type { FindingRow, InterventionRow } from "../../api/types";
import { clock } from "../../parts/format";
import { CodeSpans, Markdown } from "../../parts/Markdown";
import { Feedback } from "./Feedback";

const EFFECTS = {
  open: { sign: "…", tone: "dim", says: "not measured yet" },
  helped: { sign: "✓", tone: "green", says: "helped" },
  "did not help": { sign: "✗", tone: "red", says: "did not help" },
} as const;
const SERIOUS = new Set(["high", "critical"]);

function Intervention({ done }: { done: InterventionRow }) {
  const effect = EFFECTS[done.effect];
  return (
    <li class="finding-done">
      <p>
        ↳ {done.label}
        <span class={`tone-${effect.tone}`}>
          {effect.sign} {done.effect_says || effect.says}
        </span>
      </p>
      {done.says && (
        <blockquote>
          <Markdown text={done.says} />
        </blockquote>
      )}
    </li>
  );
}

interface FindingsPanelProps {
  run: string;
  findings: readonly FindingRow[];
  onStep: (step: number) => void;
  onFeedback: () => void;
}

export function FindingsPanel({ run, findings, onStep, onFeedback }: FindingsPanelProps) {
  if (findings.length === 0) return <p class="dim">Handrail has found nothing wrong in this run.</p>;
  return (
    <ul class="findings">
      {findings.map((each) => (
        <li key={each.seq} class="finding">
          <h4 class={SERIOUS.has(each.severity) ? "tone-red" : "tone-yellow"}>
            {SERIOUS.has(each.severity) ? "✗" : "!"} {each.label}
            <span class="dim">
              {each.severity} · {Math.round(each.confidence * 100)} % sure · {clock(each.at)}
            </span>
          </h4>
          <p>
            <CodeSpans text={each.says} />
          </p>
          {each.evidence.length > 0 && (
            <p class="evidence">
              <span class="dim">Seen in</span>
              {each.evidence.map((step) => (
                <button key={step} type="button" class="step-link" onClick={() => onStep(step)}>
                  {step}
                </button>
              ))}
            </p>
          )}
          <ul>
            {each.interventions.map((done) => (
              <Intervention key={done.id} done={done} />
            ))}
          </ul>
          <Feedback run={run} given={each.feedback} about={{ finding: each.kind, step: each.step }} onGiven={onFeedback} />
        </li>
      ))}
    </ul>
  );
}
