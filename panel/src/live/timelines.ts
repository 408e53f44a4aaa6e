/** The timeline of the run that is shown: pages from the daemon, kept up to date by the stream. */
import { signal } from "@preact/signals";
import { api, ApiError } from "../api/client";
import type { StreamFrame, TimelinePage, TimelineRow } from "../api/types";
import { notifyError } from "../frame/notices";
import { mergeRows } from "./merge";

const PAGE = 500;

export interface Timeline {
  run: string;
  /** Sorted by seq. */
  rows: readonly TimelineRow[];
  /** `before` of the page before; 0: this is the beginning. */
  first: number;
  loaded: boolean;
}

export const NO_TIMELINE: Timeline = { run: "", rows: [], first: 0, loaded: false };
export const timeline = signal<Timeline>(NO_TIMELINE);

/** Rows that came by the stream while a page was on its way: they are newer than the page. */
let meanwhile: TimelineRow[] | null = null;
let loadingOlder = false;

async function load(run: string, before: number): Promise<void> {
  const fresh: TimelineRow[] = [];
  if (before === 0) meanwhile = fresh;
  try {
    const page = await api.get("/runs/{run}/timeline", before ? { run, before, limit: PAGE } : { run, limit: PAGE });
    if (timeline.peek().run === run) take(page, before > 0, fresh);
  } catch (error) {
    // A run that is not there is said by its page.
    if (!(error instanceof ApiError && error.problem.status === 404)) notifyError(error);
  } finally {
    if (meanwhile === fresh) meanwhile = null;
  }
}

function take(page: TimelinePage, older: boolean, fresh: readonly TimelineRow[]): void {
  const now = timeline.peek();
  const rows = mergeRows(mergeRows(now.rows, page.items, !older), fresh, true);
  const first = older || !now.loaded ? page.first : now.first;
  timeline.value = { run: now.run, rows, loaded: true, first };
}

/** Shows a run's timeline: its last page first. */
export function openTimeline(run: string): Promise<void> {
  if (timeline.peek().run !== run) timeline.value = { ...NO_TIMELINE, run };
  return load(run, 0);
}

/** Loads the page before the first row. */
export async function loadOlder(): Promise<void> {
  const { run, first, loaded } = timeline.peek();
  if (loadingOlder || !loaded || first === 0) return;
  loadingOlder = true;
  await load(run, first);
  loadingOlder = false;
}

/** Returns the newest rows of a run in some frames. */
export function newsOf(run: string, frames: readonly StreamFrame[]): TimelineRow[] {
  return frames.flatMap((frame) => (frame.news ?? []).filter((news) => news.run === run).flatMap((news) => news.items));
}

export function takeNews(frames: readonly StreamFrame[]): void {
  const now = timeline.peek();
  const news = newsOf(now.run, frames);
  if (news.length === 0) return;
  meanwhile?.push(...news);
  timeline.value = { ...now, rows: mergeRows(now.rows, news, true) };
}

/** Loads the last page again: nothing that was just missed stays missing. */
export async function refreshTimeline(): Promise<void> {
  const { run } = timeline.peek();
  if (run) await load(run, 0);
}

/** Loads the shown timeline anew, after a gap of unknown length. */
export function reloadTimeline(): void {
  const { run } = timeline.peek();
  timeline.value = { ...NO_TIMELINE, run };
  void refreshTimeline();
}
