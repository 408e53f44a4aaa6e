/** Returns the item so many places after (or before) the one with an id; without one, the first. */
export function neighbour<T extends { id: string }>(items: readonly T[], id: string, by: number): T | undefined {
  const at = items.findIndex((each) => each.id === id);
  if (at < 0) return items[0];
  return items[Math.max(0, Math.min(items.length - 1, at + by))];
}
