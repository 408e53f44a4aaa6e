/** The folders that have runs: the one that was active last comes first. */
import type { RunRow } from "../api/types";

/** Returns the folders of runs, each once. */
export function foldersOf(runs: Iterable<RunRow>): string[] {
  const latest = new Map<string, number>();
  for (const run of runs) {
    if (run.cwd) latest.set(run.cwd, Math.max(latest.get(run.cwd) ?? 0, run.changed));
  }
  return [...latest].sort(([, a], [, b]) => b - a).map(([folder]) => folder);
}

/** Returns the last two parts of a folder's path: enough to know it. */
export function shortFolder(folder: string): string {
  const parts = folder.split("/").filter(Boolean);
  return parts.length > 2 ? `…/${parts.slice(-2).join("/")}` : folder;
}
