/** How Handrail understood an action: its commands, its effects, its risk. */
import type { CommandPart, EffectRow } from "../api/types";
import "../style/understood.css";

export const SEVERITY_TONES: Readonly<Record<string, string>> = { medium: "yellow", high: "red", critical: "red" };

export function CommandParts({ parts }: { parts: readonly CommandPart[] }) {
  return (
    <ol class="command-parts">
      {parts.map((part, index) => (
        <li key={index} class={part.blamed ? "blamed" : ""}>
          <code>{part.text}</code>
          <span>
            {part.says}
            {part.blamed && <strong> ← this</strong>}
          </span>
        </li>
      ))}
    </ol>
  );
}

export function EffectList({ effects }: { effects: readonly EffectRow[] }) {
  return (
    <ul class="effects">
      {effects.map((each, index) => (
        <li key={index}>
          <span class={`chip tone-${SEVERITY_TONES[each.severity] ?? "dim"}`}>{each.severity}</span>
          <span>
            {each.says}
            {each.undo && <span class="dim"> · {each.undo}</span>}
          </span>
        </li>
      ))}
    </ul>
  );
}

export function RiskNote({ risk, severity }: { risk: number; severity: string }) {
  return (
    <span class={`tone-${SEVERITY_TONES[severity] ?? "dim"}`}>
      risk {risk.toFixed(2)} {severity}
    </span>
  );
}
