/** Sums and shares of the statistics. */
import type { StatisticsRow } from "../../api/types";

const NUMBERS = [
  "runs",
  "actions",
  "changed",
  "stopped",
  "findings",
  "interventions",
  "helped",
  "tokens",
  "cost_usd",
] as const;
export type Totals = Record<(typeof NUMBERS)[number], number>;

/** Adds up all projects and hosts. */
export function totalsOf(rows: readonly StatisticsRow[]): Totals {
  const sums = NUMBERS.map((name) => [name, rows.reduce((sum, row) => sum + row[name], 0)]);
  return Object.fromEntries(sums) as Totals;
}

/** 4 %, <1 %; a share of nothing is a dash. */
export function percent(part: number, whole: number): string {
  if (whole === 0) return "–";
  const share = (part / whole) * 100;
  return share > 0 && share < 1 ? "<1 %" : `${Math.round(share)} %`;
}

export interface DayCost {
  /** 2026-11-16 */
  day: string;
  cost: number;
}

const DAY_MS = 86_400_000;
const MOST_DAYS = 366;

/** Returns the cost of every day from the first to the last, also of those without any. */
export function dailyCosts(byDay: Readonly<Record<string, number>>): DayCost[] {
  const days = Object.keys(byDay).filter((each) => !Number.isNaN(Date.parse(each))).sort();
  const [first, last] = [days[0], days.at(-1)];
  if (first === undefined || last === undefined) return [];
  const costs: DayCost[] = [];
  for (let at = Date.parse(first); at <= Date.parse(last) && costs.length < MOST_DAYS; at += DAY_MS) {
    const day = new Date(at).toISOString().slice(0, 10);
    costs.push({ day, cost: byDay[day] ?? 0 });
  }
  return costs;
}
