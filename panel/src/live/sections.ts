/** How runs are sorted, and how frames change them. */
import type { RunRow, StreamFrame } from "../api/types";

/** The sections of every list of runs. What needs a person comes first. */
export const SECTIONS = [
  { name: "needs", title: "Needs you" },
  { name: "working", title: "Working" },
  { name: "paused", title: "Paused or stopped" },
  { name: "done", title: "Done" },
] as const;
export type SectionName = (typeof SECTIONS)[number]["name"];

/** Returns the section of a run. */
export function sectionOf(run: RunRow): SectionName {
  if (run.needs_you) return "needs";
  if (/paus|frozen|freez|interrupt|stopp/.test(run.state)) return "paused";
  return run.active ? "working" : "done";
}

/** Sorts runs into the sections: the latest change first, those that need a person by their wait. */
export function bySection(all: Iterable<RunRow>): Record<SectionName, RunRow[]> {
  const sections: Record<SectionName, RunRow[]> = { needs: [], working: [], paused: [], done: [] };
  for (const run of all) sections[sectionOf(run)].push(run);
  sections.needs.sort((a, b) => a.since - b.since);
  sections.done.sort((a, b) => b.changed - a.changed);
  // Rows that jump about while a person reads are worse than an old order.
  for (const name of ["working", "paused"] as const) sections[name].sort((a, b) => b.started - a.started);
  return sections;
}

/** Returns the runs after these frames; an older row never replaces a newer one. */
export function applyRuns(
  before: ReadonlyMap<string, RunRow>,
  frames: readonly StreamFrame[],
): ReadonlyMap<string, RunRow> {
  if (!frames.some((each) => each.runs?.length || each.gone?.length)) return before;
  const after = new Map(before);
  for (const frame of frames) {
    for (const run of frame.runs ?? []) {
      const known = after.get(run.id);
      if (!known || known.seq <= run.seq) after.set(run.id, run);
    }
    for (const id of frame.gone ?? []) after.delete(id);
  }
  return after;
}
