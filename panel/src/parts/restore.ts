/** What a restore would do, put into words. */
import type { PathChange, PreviewAnswer, RestoreOrder } from "../api/types";

/** What happens to a file; `many` stands after several of them. */
export const FATES: readonly { how: PathChange["how"]; sign: string; one: string; many?: string; tone: string }[] = [
  { how: "restore", sign: "+", one: "comes back", many: "come back", tone: "green" },
  { how: "change", sign: "~", one: "goes back to what it was", many: "go back to what they were", tone: "yellow" },
  { how: "delete", sign: "−", one: "is deleted", many: "are deleted", tone: "red" },
  { how: "keep", sign: "·", one: "stays as it is", many: "stay as they are", tone: "dim" },
  { how: "refuse", sign: "✗", one: "cannot be written", tone: "red" },
  { how: "new", sign: "+", one: "new since", tone: "green" },
  { how: "changed", sign: "~", one: "changed since", tone: "yellow" },
  { how: "renamed", sign: "→", one: "renamed since", tone: "yellow" },
  { how: "deleted", sign: "−", one: "deleted since", tone: "red" },
];

export interface FateGroup {
  title: string;
  sign: string;
  tone: string;
  items: PathChange[];
}

/** Returns the files by what happens to them; what changes most comes first. */
export function byFate(changes: readonly PathChange[]): FateGroup[] {
  return FATES.map(({ how, one, many, sign, tone }) => {
    const items = changes.filter((each) => each.how === how);
    return { title: (items.length > 1 && many) || one, sign, tone, items };
  }).filter((group) => group.items.length > 0);
}

/** Returns how many files a restore writes or deletes. */
export function touched(preview: PreviewAnswer): number {
  return preview.changes.filter((each) => each.how !== "keep" && each.how !== "refuse").length;
}

/** Returns what a restore takes along besides files, each with its lines; empty lists are left out. */
export function losses(preview: PreviewAnswer): { title: string; lines: readonly string[] }[] {
  return [
    { title: "Tasks in progress: their agents stop", lines: preview.tasks_in_progress },
    { title: "Tasks completed since: they are open again", lines: preview.tasks_completed },
    { title: "Commits that are lost", lines: preview.commits },
    { title: "Merges that are taken back", lines: preview.merges },
  ].filter((each) => each.lines.length > 0);
}

/** Returns the order that takes a restore back, given the checkpoint from before it.
 *
 * A redo is taken back by that checkpoint: nothing is redone twice. */
export function takeBackOf(order: RestoreOrder, checkpoint: string): RestoreOrder {
  const level = order.level === "redo" ? "checkpoint" : "redo";
  return { folder: order.folder, level, checkpoint, git: order.git ?? false };
}

/** Returns whether there is anything to restore. */
export function doesAnything(preview: PreviewAnswer): boolean {
  return touched(preview) > 0 || preview.fleet || losses(preview).length > 0;
}
