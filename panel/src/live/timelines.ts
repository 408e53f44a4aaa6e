/** The timeline of the run that is shown: pages from the daemon, kept up to date by the stream. */
import { batch, signal } from "@preact/signals";
import { api } from "../api/client";
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

let loadingOlder = false;

/** Shows a run's timeline: its last page first. */
export async function openTimeline(run: string): Promise<void> {
  if (timeline.peek().run !== run) timeline.value = { ...NO_TIMELINE, run };
  try {
    take(await api.get("/runs/{run}/timeline", { run, limit: PAGE }), false);
  } catch (error) {
    notifyError(error);
  }
}

function take(page: TimelinePage, older: boolean): void {
  const now = timeline.peek();
  if (now.run !== page.run) return;
  // Frames that came while the page was on its way are newer than the page.
  const rows = mergeRows(now.rows, page.items, false);
  timeline.value = { run: page.run, rows, loaded: true, first: older || !now.loaded ? page.first : now.first };
}

/** Loads the page before the first row. */
export async function loadOlder(): Promise<void> {
  const { run, first, loaded } = timeline.peek();
  if (loadingOlder || !loaded || first === 0) return;
  loadingOlder = true;
  try {
    take(await api.get("/runs/{run}/timeline", { run, before: first, limit: PAGE }), true);
  } catch (error) {
    notifyError(error);
  } finally {
    loadingOlder = false;
  }
}

export function takeNews(frames: readonly StreamFrame[]): void {
  batch(() => {
    for (const frame of frames) {
      for (const news of frame.news ?? []) {
        const now = timeline.peek();
        if (news.run === now.run) timeline.value = { ...now, rows: mergeRows(now.rows, news.items, true) };
      }
    }
  });
}

/** Loads the shown timeline again from its end, after a gap. */
export function reloadTimeline(): void {
  const { run } = timeline.peek();
  if (!run) return;
  timeline.value = { ...NO_TIMELINE, run };
  void openTimeline(run);
}
