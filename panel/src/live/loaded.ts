/** Loads what a page shows, and loads it again when something says that it changed. */
import { useSignal } from "@preact/signals";
import { useCallback, useEffect, useRef } from "preact/hooks";
import { ApiError } from "../api/client";

export interface Loaded<T> {
  /** The last answer; it stays while a newer one is on its way. */
  value: T | null;
  /** Why there is no newer one; empty: all is well. */
  problem: string;
  again: () => void;
}

/** Returns what `load` answers; it runs again when an input changes. A late answer never replaces a newer one. */
export function useLoaded<T>(load: () => Promise<T>, inputs: readonly unknown[]): Loaded<T> {
  const value = useSignal<T | null>(null);
  const problem = useSignal("");
  const asked = useRef(0);
  const again = useCallback(async () => {
    const mine = ++asked.current;
    try {
      const answer = await load();
      if (mine !== asked.current) return;
      value.value = answer;
      problem.value = "";
    } catch (error) {
      if (mine === asked.current) problem.value = problemText(error);
    }
  }, inputs);
  useEffect(() => {
    void again();
    return () => {
      asked.current += 1;
    };
  }, [again]);
  return { value: value.value, problem: problem.value, again: () => void again() };
}

/** Returns what went wrong in a sentence or two. */
export function problemText(error: unknown): string {
  if (!(error instanceof ApiError)) return error instanceof Error ? error.message : String(error);
  const { title, detail } = error.problem;
  return detail ? `${title}: ${detail}` : title;
}
