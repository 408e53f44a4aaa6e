/** The columns of the board, and what moving a task in it means. */
import type { TaskRow } from "../../api/types";

export type TaskStatus = TaskRow["status"];

export const COLUMNS: readonly { status: TaskStatus; title: string }[] = [
  { status: "pending", title: "Pending" },
  { status: "active", title: "Active" },
  { status: "blocked", title: "Blocked" },
  { status: "done", title: "Done" },
  { status: "failed", title: "Failed" },
];

/** So many tasks get another priority by one move; more is a case for the priority itself. */
export const MOST_CHANGES = 20;
const HIGHEST = 1000;

/** Returns the tasks with these words in id, label, state, branch or reason. */
export function matching(tasks: readonly TaskRow[], words: string): readonly TaskRow[] {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  if (wanted.length === 0) return tasks;
  return tasks.filter((task) => {
    const text = [task.id, task.label, task.state, task.branch, task.why].join(" ").toLowerCase();
    return wanted.every((word) => text.includes(word));
  });
}

/** Sorts tasks into the columns; what waits for an agent stands by priority. */
export function byStatus(tasks: readonly TaskRow[]): Record<TaskStatus, TaskRow[]> {
  const columns: Record<TaskStatus, TaskRow[]> = { pending: [], active: [], blocked: [], done: [], failed: [] };
  for (const task of tasks) columns[task.status].push(task);
  columns.pending.sort((a, b) => b.priority - a.priority);
  return columns;
}

export interface PriorityChange {
  id: string;
  priority: number;
}

/** Pushes neighbours away from a priority, one side at a time; equal ones stay equal. */
function pushed(neighbours: readonly TaskRow[], from: number, by: 1 | -1): PriorityChange[] {
  const changes: PriorityChange[] = [];
  let limit = from + by;
  let before: number | undefined;
  for (const task of neighbours) {
    if (before !== undefined && task.priority !== before) limit += by;
    if (task.priority * by >= limit * by) break;
    before = task.priority;
    changes.push({ id: task.id, priority: limit });
  }
  return changes;
}

/** Returns the new priorities that put a task at a place of its column, or null if they are too many.
 *
 * `place` counts without the task itself. */
export function prioritiesFor(column: readonly TaskRow[], id: string, place: number): PriorityChange[] | null {
  const rest = column.filter((each) => each.id !== id);
  const above = rest.slice(0, place).reverse();
  const below = rest.slice(place);
  const [over, under] = [above[0], below[0]];
  if (!over && !under) return [];
  const up = under ? under.priority + 1 : (over?.priority ?? 0);
  const down = over ? over.priority - 1 : (under?.priority ?? 0);
  const plans: PriorityChange[][] = [
    [{ id, priority: up }, ...pushed(above, up, 1)],
    [{ id, priority: down }, ...pushed(below, down, -1)],
  ];
  const possible = plans.filter((plan) => plan.every((each) => Math.abs(each.priority) <= HIGHEST));
  const best = possible.sort((a, b) => a.length - b.length)[0];
  return best && best.length <= MOST_CHANGES ? best : null;
}

/** Returns the command that dropping a task on a column means, or "". */
export function commandOfDrop(task: TaskRow, to: TaskStatus): string {
  if (task.status === to) return "";
  const meant: Partial<Record<TaskStatus, readonly string[]>> = {
    pending: ["retry", "again"],
    active: ["prefer"],
    blocked: ["block"],
    failed: ["cancel"],
  };
  return meant[to]?.find((each) => task.commands.includes(each)) ?? "";
}
