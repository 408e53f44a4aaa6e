/** Moves a task within the column of those that wait for an agent. */
import type { TaskRow } from "../../api/types";
import { notify } from "../../frame/notices";
import { prioritiesFor } from "./board";
import { sendPriorities } from "./sending";

/** Puts a task at a place of its column; `place` counts without the task itself. */
export function moveTask(fleet: string, column: readonly TaskRow[], id: string, place: number): void {
  const changes = prioritiesFor(column, id, place);
  if (changes === null) {
    notify("Too many tasks have the same priority", `Give ${id} a priority of its own instead.`, "red");
  } else if (changes.length > 0) {
    void sendPriorities(fleet, changes);
  }
}
