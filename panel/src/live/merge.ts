import type { TimelineRow } from "../api/types";

/** Returns rows with others put in by seq. `theirsWin`: those are newer than the ones here. */
export function mergeRows(
  rows: readonly TimelineRow[],
  others: readonly TimelineRow[],
  theirsWin: boolean,
): readonly TimelineRow[] {
  if (others.length === 0) return rows;
  const sorted = others.toSorted((a, b) => a.seq - b.seq);
  const first = sorted[0]?.seq ?? 0;
  // News is about the end: everything before it stays as it is.
  const untouched = rows.findLastIndex((row) => row.seq < first) + 1;
  const tail = rows.slice(untouched);
  const merged = new Map<number, TimelineRow>();
  const [older, newer] = theirsWin ? [tail, sorted] : [sorted, tail];
  for (const row of older) merged.set(row.seq, row);
  for (const row of newer) merged.set(row.seq, row);
  return [...rows.slice(0, untouched), ...[...merged.values()].sort((a, b) => a.seq - b.seq)];
}
