import type { SettingRow } from "../../api/types";

/** Returns whether all words of a search stand in a setting. */
export function matchesSetting(row: SettingRow, search: string): boolean {
  const text = `${row.key} ${row.value} ${row.source}`.toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}
