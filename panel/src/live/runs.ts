/** All runs, as they are now. */
import { batch, computed, signal } from "@preact/signals";
import { api } from "../api/client";
import type { Overview, RunRow, StreamFrame } from "../api/types";
import { notifyError } from "../frame/notices";
import { applyRuns, bySection } from "./sections";

const PAGE = 200;
const OVERVIEW_EVERY_MS = 4000;

export const runs = signal<ReadonlyMap<string, RunRow>>(new Map());
export const runsLoaded = signal(false);
export const overview = signal<Overview | null>(null);
/** The cursor of the next page of old runs; empty: all are here. */
export const moreRuns = signal("");
/** Counts up when the list of approvals changed: pages that show it load it again. */
export const approvalsChanged = signal(0);
/** Counts up when everything has to be loaded again. */
export const reloads = signal(0);

export const sections = computed(() => bySection(runs.value.values()));
export const needsYou = computed(() => sections.value.needs.length);

/** Frames that came while a list was on its way, for each such list: they may be newer than it. */
const meanwhile = new Set<StreamFrame[]>();

let overviewAt = -OVERVIEW_EVERY_MS;
let overviewTimer: ReturnType<typeof setTimeout> | undefined;

function refreshOverview(): void {
  if (overviewTimer !== undefined) return;
  const wait = Math.max(0, overviewAt + OVERVIEW_EVERY_MS - performance.now());
  overviewTimer = setTimeout(async () => {
    overviewTimer = undefined;
    overviewAt = performance.now();
    try {
      overview.value = await api.get("/overview");
    } catch {
      // The bar of the connection says it already; the next frame tries again.
    }
  }, wait);
}

/** Loads the runs from the beginning. */
export async function loadRuns(): Promise<void> {
  refreshOverview();
  const fresh: StreamFrame[] = [];
  meanwhile.add(fresh);
  try {
    const page = await api.get("/runs", { limit: PAGE });
    runs.value = applyRuns(new Map(page.items.map((each) => [each.id, each])), fresh);
    moreRuns.value = page.next;
    runsLoaded.value = true;
  } catch (error) {
    notifyError(error);
  } finally {
    meanwhile.delete(fresh);
  }
}

/** Loads the next page of old runs. */
export async function loadMoreRuns(): Promise<void> {
  try {
    const page = await api.get("/runs", { limit: PAGE, cursor: moreRuns.peek() });
    runs.value = new Map([...page.items.map((each) => [each.id, each] as const), ...runs.peek()]);
    moreRuns.value = page.next;
  } catch (error) {
    notifyError(error);
  }
}

export function takeRuns(frames: readonly StreamFrame[]): void {
  for (const fresh of meanwhile) fresh.push(...frames);
  batch(() => {
    const after = applyRuns(runs.peek(), frames);
    if (after !== runs.peek()) {
      runs.value = after;
      refreshOverview();
    }
    if (frames.some((each) => each.approvals)) approvalsChanged.value += 1;
  });
}
