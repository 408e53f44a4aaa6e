/** Keyboard: every page registers what its keys do; the help page and the palette list them. */
import { useLayoutEffect } from "preact/hooks";
import { signal } from "@preact/signals";

export interface KeyBinding {
  /** As typed: `j`, `Enter`, `?`, or two keys one after the other: `g r`. */
  key: string;
  /** Another key that does the same. */
  also?: string;
  /** What it does, in a few words. */
  says: string;
  run: () => void;
  /** Not possible now; the palette shows why. */
  whyNot?: string;
}

export interface KeyGroup {
  title: string;
  bindings: readonly KeyBinding[];
  /** Those of every page: a page's own win over them. */
  everywhere?: boolean;
}

/** The groups in force; the latest one wins when two have the same key. */
export const keyGroups = signal<readonly KeyGroup[]>([]);

const SEQUENCE_MS = 1200;
let pending = "";
let pendingSince = 0;

/** Puts a group in force while a component is shown.
 *
 * In a layout effect: a key acts on what is in sight, and an ordinary effect comes some frames after that. */
export function useKeys(group: KeyGroup, inputs: readonly unknown[]): void {
  useLayoutEffect(() => {
    const others = keyGroups.peek();
    keyGroups.value = group.everywhere ? [group, ...others] : [...others, group];
    return () => {
      keyGroups.value = keyGroups.peek().filter((each) => each !== group);
    };
  }, inputs);
}

/** Returns the binding of what was typed, and whether a longer one may follow. */
export function findBinding(
  groups: readonly KeyGroup[],
  typed: string,
): { binding: KeyBinding | undefined; prefix: boolean } {
  const all = groups.toReversed().flatMap((group) => group.bindings);
  return {
    binding: all.find((each) => each.key === typed || each.also === typed),
    prefix: all.some((each) => each.key.startsWith(`${typed} `)),
  };
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName);
}

function onKeyDown(event: KeyboardEvent): void {
  const control = event.ctrlKey || event.metaKey;
  // With Ctrl or ⌘ a key works in fields, too: nobody types a letter with it.
  if (event.defaultPrevented || event.altKey || (isTyping(event.target) && !control)) return;
  if (document.querySelector("dialog[open]")) return;
  // Enter and space on a button or link are its own.
  const onControl = event.target instanceof Element && event.target.closest("a, button, summary");
  if (onControl && (event.key === "Enter" || event.key === " ")) return;
  const one = control ? `mod+${event.key.toLowerCase()}` : event.key;
  const now = performance.now();
  const typed = pending && now - pendingSince < SEQUENCE_MS ? `${pending} ${one}` : one;
  pending = "";
  const { binding, prefix } = findBinding(keyGroups.peek(), typed);
  if (binding && !binding.whyNot) {
    event.preventDefault();
    binding.run();
  } else if (prefix) {
    pending = typed;
    pendingSince = now;
  }
}

export function startKeys(): void {
  document.addEventListener("keydown", onKeyDown);
}
