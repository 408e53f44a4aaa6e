import type { TimelineRow } from "../api/types";

/** Returns rows with others put in by seq. `theirsWin`: those are newer than the ones here. */
export function mergeRows(
  rows: readonly TimelineRow[],
  others: readonly TimelineRow[],
  theirsWin: boolean,
): readonly TimelineRow[] {
  if (others.length === 0) return rows;
  const last = rows.at(-1)?.seq ?? -1;
  const sorted = others.toSorted((a, b) => a.seq - b.seq);
  if ((sorted[0]?.seq ?? 0) > last) return [...rows, ...sorted];
  const merged = new Map<number, TimelineRow>();
  const [older, newer] = theirsWin ? [rows, sorted] : [sorted, rows];
  for (const row of older) merged.set(row.seq, row);
  for (const row of newer) merged.set(row.seq, row);
  return [...merged.values()].sort((a, b) => a.seq - b.seq);
}
