import type { FindingRow, TimelineRow } from "../../api/types";

const SEVERITIES = ["low", "medium", "high", "critical"];

export interface TroublePoint {
  step: number;
  says: string;
  tone: "red" | "yellow";
  more: number;
}

/** Returns the first of the worst: a breach, then findings that no person called wrong, then stopped actions. */
export function firstTrouble(findings: readonly FindingRow[], rows: readonly TimelineRow[]): TroublePoint | null {
  const real = findings.filter((each) => each.feedback !== "wrong");
  const breach = rows.find((row) => row.kind === "finding" && row.tone === "red");
  if (breach) return { step: breach.step, says: breach.text, tone: "red", more: real.length };
  const worst = Math.max(-1, ...real.map((each) => SEVERITIES.indexOf(each.severity)));
  const first = real
    .filter((each) => SEVERITIES.indexOf(each.severity) === worst)
    .reduce<FindingRow | null>((best, each) => (best && best.at <= each.at ? best : each), null);
  if (first) {
    const step = first.evidence.length ? Math.min(...first.evidence) : first.step;
    return { step, says: first.says, tone: worst >= 2 ? "red" : "yellow", more: real.length - 1 };
  }
  const stopped = rows.filter((row) => row.kind === "action" && row.tone === "red");
  const one = stopped[0];
  return one ? { step: one.step, says: `stopped: ${one.text}`, tone: "red", more: stopped.length - 1 } : null;
}
