/** Lists that come in pages: what is shown is loaded again as a whole when something changed. */
import { useSignal } from "@preact/signals";
import { type Loaded, useLoaded } from "./loaded";

export interface Page<T> {
  items: readonly T[];
  /** The cursor of the next page; empty: this is the last one. */
  next: string;
}

/** Returns so many pages as one. */
export async function firstPages<T>(load: (cursor: string) => Promise<Page<T>>, count: number): Promise<Page<T>> {
  const items: T[] = [];
  let next = "";
  for (let page = 0; page < count; page++) {
    const loaded = await load(next);
    items.push(...loaded.items);
    next = loaded.next;
    if (!next) break;
  }
  return { items, next };
}

/** Returns everything in a list, by all its pages. */
export async function allPages<T>(load: (cursor: string) => Promise<Page<T>>): Promise<readonly T[]> {
  return (await firstPages(load, Number.POSITIVE_INFINITY)).items;
}

export interface LoadedPages<T> extends Loaded<Page<T>> {
  /** Shows one page more. */
  more: () => void;
}

/** Loads the first page of a list, and more on demand; all of them again when an input changes. */
export function usePages<T>(
  load: (cursor: string) => Promise<Page<T>>,
  inputs: readonly unknown[],
): LoadedPages<T> {
  const count = useSignal(1);
  const loaded = useLoaded(() => firstPages(load, count.peek()), inputs);
  const more = () => {
    count.value += 1;
    loaded.again();
  };
  return { ...loaded, more };
}
