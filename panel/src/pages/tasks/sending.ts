/** Sends commands about tasks, and tells what came of them. */
import { api } from "../../api/client";
import type { TaskCommandRequest } from "../../api/types";
import { notify, notifyError } from "../../frame/notices";
import type { PriorityChange } from "./board";

const WAIT_SECONDS = 20;
const LONGEST_MS = 180_000;

/** Follows the request of a redirect to its end, and says how it ended. */
async function follow(request: string, what: string): Promise<void> {
  const until = performance.now() + LONGEST_MS;
  while (performance.now() < until) {
    const progress = await api.get("/requests/{request}", { request, wait: WAIT_SECONDS });
    const said = [progress.says, ...progress.evidence].filter(Boolean).join("; ");
    if (progress.stage === "confirmed") return notify(`${what}: confirmed`, said);
    if (progress.stage === "refused") return notify(`${what}: refused`, said, "red");
  }
  notify(`${what}: still under way`);
}

/** Sends a command. Raises what the daemon says if it refuses. */
export async function sendTaskCommand(fleet: string, task: string, request: TaskCommandRequest): Promise<void> {
  const result = await api.post("/fleets/{fleet}/tasks/{task}", { fleet, task }, request);
  notify(result.says, "", result.ok ? "green" : "red");
  if (result.request) follow(result.request, `Redirect of ${task}`).catch(notifyError);
}

/** Gives tasks their new priorities, one after the other. */
export async function sendPriorities(fleet: string, changes: readonly PriorityChange[]): Promise<void> {
  try {
    for (const { id, priority } of changes) {
      await api.post("/fleets/{fleet}/tasks/{task}", { fleet, task: id }, { command: "priority", priority });
    }
    const others = changes.length - 1;
    notify(`${changes[0]?.id} was moved`, others > 0 ? `${others} others got another priority, too.` : "");
  } catch (error) {
    notifyError(error);
  }
}
