/** Values of a chart, and the colours of their heights. */

export type Values = readonly (number | null)[];

export interface Level {
  from: number;
  colour: string;
}

export const RISK_LEVELS: readonly Level[] = [
  { from: 0, colour: "dim" },
  { from: 0.3, colour: "yellow" },
  { from: 0.7, colour: "red" },
];

/** Returns values split by level: each in the list of its own level only. */
export function splitByLevel(values: Values, levels: readonly Level[]): (number | null)[][] {
  return levels.map(({ from }, index) => {
    const to = levels[index + 1]?.from ?? Number.POSITIVE_INFINITY;
    return values.map((value) => (value !== null && value >= from && value < to ? value : null));
  });
}

/** Returns the last value that is known. */
export function lastOf(values: Values): number | null {
  return values.findLast((value) => value !== null) ?? null;
}
