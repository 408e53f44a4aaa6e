/** What a restore would do, put into words. */
import type { PathChange, PreviewAnswer } from "../api/types";

export const FATES = [
  { how: "restore", sign: "+", title: "comes back", tone: "green" },
  { how: "change", sign: "~", title: "goes back to what it was", tone: "yellow" },
  { how: "delete", sign: "−", title: "is deleted", tone: "red" },
  { how: "keep", sign: "·", title: "stays as it is", tone: "dim" },
  { how: "refuse", sign: "✗", title: "cannot be written", tone: "red" },
  { how: "new", sign: "+", title: "new since", tone: "green" },
  { how: "changed", sign: "~", title: "changed since", tone: "yellow" },
  { how: "renamed", sign: "→", title: "renamed since", tone: "yellow" },
  { how: "deleted", sign: "−", title: "deleted since", tone: "red" },
] as const;

export interface FateGroup {
  title: string;
  sign: string;
  tone: string;
  items: PathChange[];
}

/** Returns the files by what happens to them; what changes most comes first. */
export function byFate(changes: readonly PathChange[]): FateGroup[] {
  return FATES.map(({ how, title, sign, tone }) => ({
    title,
    sign,
    tone,
    items: changes.filter((each) => each.how === how),
  })).filter((group) => group.items.length > 0);
}

/** Returns how many files a restore writes or deletes. */
export function touched(preview: PreviewAnswer): number {
  return preview.changes.filter((each) => each.how !== "keep" && each.how !== "refuse").length;
}

/** Returns what a restore takes along besides files, each with its lines; empty lists are left out. */
export function losses(preview: PreviewAnswer): { title: string; lines: readonly string[] }[] {
  return [
    { title: "Tasks in progress", lines: preview.tasks_in_progress },
    { title: "Tasks completed since", lines: preview.tasks_completed },
    { title: "Commits", lines: preview.commits },
    { title: "Merges", lines: preview.merges },
  ].filter((each) => each.lines.length > 0);
}

/** Returns whether there is anything to restore. */
export function doesAnything(preview: PreviewAnswer): boolean {
  return touched(preview) > 0 || preview.fleet || losses(preview).length > 0;
}
