/** Sending something that may fail: whether it is under way, and what went wrong. */
import { type ReadonlySignal, useSignal } from "@preact/signals";
import { problemText } from "../live/loaded";

interface Sending {
  busy: ReadonlySignal<boolean>;
  /** Why it failed; empty: it did not. */
  problem: ReadonlySignal<string>;
  /** Runs `work`, unless something is under way. Returns whether it went well. */
  send: (work: () => Promise<void>) => Promise<boolean>;
}

export function useSending(): Sending {
  const busy = useSignal(false);
  const problem = useSignal("");

  async function send(work: () => Promise<void>): Promise<boolean> {
    if (busy.peek()) return false;
    busy.value = true;
    problem.value = "";
    try {
      await work();
      return true;
    } catch (error) {
      problem.value = problemText(error);
      return false;
    } finally {
      busy.value = false;
    }
  }

  return { busy, problem, send };
}
