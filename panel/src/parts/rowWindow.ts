/** Which rows of a long list are in sight, when the height of each is known beforehand. */

/** Returns where each row begins, and at the end where the last one ends. */
export function rowOffsets<T>(rows: readonly T[], height: (row: T) => number): Float64Array {
  const offsets = new Float64Array(rows.length + 1);
  for (let index = 0; index < rows.length; index++) {
    offsets[index + 1] = (offsets[index] ?? 0) + height(rows[index] as T);
  }
  return offsets;
}

/** Returns the row at a height, by halving. */
export function rowAt(offsets: Float64Array, top: number): number {
  let low = 0;
  let high = Math.max(0, offsets.length - 2);
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((offsets[middle] ?? 0) <= top) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Returns the first row in sight and the one after the last, with some more on both sides. */
export function rowsInSight(offsets: Float64Array, top: number, height: number, more: number): [number, number] {
  const count = offsets.length - 1;
  if (count <= 0) return [0, 0];
  const from = Math.max(0, rowAt(offsets, top) - more);
  const to = Math.min(count, rowAt(offsets, top + height) + 1 + more);
  return [from, to];
}

/** Returns the scroll position that shows a row: the present one if it is in sight already. */
export function topToShow(offsets: Float64Array, row: number, top: number, height: number): number {
  const begin = offsets[row] ?? 0;
  const end = offsets[row + 1] ?? begin;
  if (begin < top) return begin;
  return end > top + height ? end - height : top;
}
