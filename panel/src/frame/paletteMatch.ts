/** What the palette finds for what a person types. */

export interface PaletteItem {
  id: string;
  /** Where it belongs: `Runs`, `Everywhere`, `This run`. */
  group: string;
  label: string;
  /** More words that find it. */
  detail: string;
  /** Its key, if it has one. */
  key: string;
  /** Not possible now, and why. */
  whyNot: string;
  run: () => void;
}

const AT_START = 3;
const AT_WORD = 2;
const INSIDE = 1;

function scoreOf(text: string, word: string): number {
  const at = text.indexOf(word);
  if (at < 0) return 0;
  if (at === 0) return AT_START;
  return /[\s\-_/.:(]/.test(text[at - 1] ?? "") || text.includes(` ${word}`) ? AT_WORD : INSIDE;
}

/** Returns the items that have all typed words: those whose label begins with one come first. */
export function findItems(items: readonly PaletteItem[], typed: string, most: number): PaletteItem[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const found: { item: PaletteItem; score: number }[] = [];
  for (const item of items) {
    const label = item.label.toLowerCase();
    const rest = `${item.group} ${item.detail}`.toLowerCase();
    let score = 0;
    const all = words.every((word) => {
      const here = scoreOf(label, word) * 2 || (rest.includes(word) ? INSIDE : 0);
      score += here;
      return here > 0;
    });
    if (all) found.push({ item, score: item.whyNot ? score - 0.5 : score });
  }
  // Sorting keeps the order of equal ones.
  if (words.length > 0) found.sort((a, b) => b.score - a.score);
  return found.slice(0, most).map(({ item }) => item);
}
