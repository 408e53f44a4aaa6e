/** Commands under way: requested → acknowledged → confirmed. */
import { signal } from "@preact/signals";
import { api } from "../../api/client";
import type { CommandRequest, RequestProgress } from "../../api/types";
import { notifyError } from "../../frame/notices";

const WAIT_SECONDS = 20;
const LONGEST_MS = 180_000;

/** The last request to each run. */
export const requests = signal<ReadonlyMap<string, RequestProgress>>(new Map());

function show(run: string, progress: RequestProgress): void {
  requests.value = new Map(requests.peek()).set(run, progress);
}

export function forget(run: string): void {
  const left = new Map(requests.peek());
  left.delete(run);
  requests.value = left;
}

export function isOver(progress: RequestProgress): boolean {
  return progress.stage === "confirmed" || progress.stage === "refused";
}

/** Sends a command, and follows it to its end. */
export async function command(run: string, request: CommandRequest): Promise<void> {
  const requestId = crypto.randomUUID?.() ?? `${Date.now()}-${Math.random()}`;
  const blank = { run, command: request.command, says: "", evidence: [], code: "" };
  show(run, { ...blank, request_id: requestId, stage: "requested" });
  try {
    const sent = { ...request, request_id: requestId };
    let progress = await api.post("/runs/{run}/commands", { run, wait: 0 }, sent);
    show(run, progress);
    const until = performance.now() + LONGEST_MS;
    while (!isOver(progress) && performance.now() < until) {
      progress = await api.get("/requests/{request}", { request: progress.request_id, wait: WAIT_SECONDS });
      // A later command to the same run is what the person wants to see.
      if (requests.peek().get(run)?.request_id !== progress.request_id) return;
      show(run, progress);
    }
  } catch (error) {
    if (requests.peek().get(run)?.request_id === requestId) forget(run);
    notifyError(error);
  }
}
