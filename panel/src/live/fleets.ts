/** The fleets and their tasks, kept up to date by the stream. */
import { untracked, useSignal, useSignalEffect } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { api } from "../api/client";
import type { FleetRow, StreamFrame, TaskRow } from "../api/types";
import { type Loaded, useLoaded } from "./loaded";
import { allPages } from "./pages";
import { reloads } from "./runs";
import { frames } from "./store";

const PAGE = 500;
/** A busy fleet changes many times a second: so often its tasks are loaded again. */
const RELOAD_MS = 1000;

/** Calls `take` with all frames that come while the component is shown. */
export function useFrames(take: (fresh: readonly StreamFrame[]) => void): void {
  const seen = useRef(frames.peek());
  useSignalEffect(() => {
    const fresh = frames.value;
    if (fresh === seen.current) return;
    seen.current = fresh;
    untracked(() => take(fresh));
  });
}

/** Returns a function that calls `run` now, and at most once in a while: the last call is never lost. */
export function useSparing(run: () => void): () => void {
  const latest = useRef(run);
  latest.current = run;
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const last = useRef(-RELOAD_MS);
  useEffect(() => () => clearTimeout(timer.current), []);
  return () => {
    if (timer.current !== undefined) return;
    timer.current = setTimeout(
      () => {
        timer.current = undefined;
        last.current = performance.now();
        latest.current();
      },
      Math.max(0, last.current + RELOAD_MS - performance.now()),
    );
  };
}

/** Returns fleets with the newer rows of some frames. */
export function withFrames(fleets: readonly FleetRow[], fresh: ReadonlyMap<string, FleetRow>): FleetRow[] {
  const known = new Set(fleets.map((each) => each.id));
  const changed = fleets.map((each) => fresh.get(each.id) ?? each);
  return [...changed, ...[...fresh.values()].filter((each) => !known.has(each.id))];
}

/** Loads all fleets, and follows them. */
export function useFleets(): Loaded<FleetRow[]> {
  const fresh = useSignal<ReadonlyMap<string, FleetRow>>(new Map());
  const { value, problem, again } = useLoaded(async () => {
    const items = await allPages((cursor) => api.get("/fleets", { limit: PAGE, cursor }));
    fresh.value = new Map();
    return [...items];
  }, [reloads.value]);
  useFrames((came) => {
    const rows = came.flatMap((frame) => frame.fleets ?? []);
    if (rows.length) fresh.value = new Map([...fresh.peek(), ...rows.map((row) => [row.id, row] as const)]);
  });
  const shown = useMemo(() => value && withFrames(value, fresh.value), [value, fresh.value]);
  return { value: shown, problem, again };
}

/** Returns whether frames say that tasks of a fleet changed. */
export function tellsOf(fleet: string, came: readonly StreamFrame[]): boolean {
  return came.some((frame) => frame.tasks?.includes(fleet));
}

async function allTasks(fleet: string): Promise<TaskRow[]> {
  return [...(await allPages((cursor) => api.get("/fleets/{fleet}/tasks", { fleet, limit: PAGE, cursor })))];
}

/** Loads all tasks of a fleet, and follows them. */
export function useTasks(fleet: string): Loaded<TaskRow[]> {
  const loaded = useLoaded(() => allTasks(fleet), [fleet, reloads.value]);
  const soon = useSparing(loaded.again);
  useFrames((came) => {
    if (tellsOf(fleet, came)) soon();
  });
  return loaded;
}
