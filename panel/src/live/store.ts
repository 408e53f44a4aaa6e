/** Connects the stream with everything that is shown from it. */
import { signal } from "@preact/signals";
import type { StreamFrame } from "../api/types";
import { startConnection } from "./connection";
import { loadRuns, reloads, takeRuns } from "./runs";
import { refreshTimeline, reloadTimeline, takeNews } from "./timelines";

/** The last frames, for pages that keep a list of their own (fleets, tasks). */
export const frames = signal<readonly StreamFrame[]>([]);

function loadAll(): void {
  void loadRuns();
  reloadTimeline();
  reloads.value += 1;
}

export function startStore(): void {
  startConnection({
    onFrames: (fresh) => {
      takeRuns(fresh);
      takeNews(fresh);
      frames.value = fresh;
    },
    onReset: loadAll,
    onBegin: () => {
      void loadRuns();
      void refreshTimeline();
    },
  });
}
