/** The commands about a task: the same words, keys and consequences as in `handrail watch`. */
import type { TaskCommandRequest, TaskRow } from "../../api/types";

export type TaskCommandName = TaskCommandRequest["command"] | "edit";

export interface TaskCommandSpec {
  command: TaskCommandName;
  key: string;
  label: string;
  /** What will happen; `{task}` is its id. */
  will: string;
  /** What its text is: why, or what the next agent is told. */
  asks?: "reason" | "message";
  /** A person agrees in a second step. */
  danger?: boolean;
}

export const TASK_COMMANDS: readonly TaskCommandSpec[] = [
  { command: "retry", key: "t", label: "Try again", will: "{task} may be tried again.", asks: "message" },
  {
    command: "merge",
    key: "m",
    label: "Merge",
    will: "Handrail verifies {task} again on the merged files, then moves the branch. A conflict changes nothing.",
  },
  {
    command: "again",
    key: "A",
    label: "Do it once more",
    will: "An agent does {task} once more, although it is done.",
    asks: "message",
  },
  { command: "prefer", key: "N", label: "Take it next", will: "The next free slot takes {task}.", asks: "reason" },
  {
    command: "redirect",
    key: "D",
    label: "Give its slot another task",
    will: "Handrail commits the work of {task} and ends its agent. The slot goes on with the other task.",
    asks: "reason",
    danger: true,
  },
  { command: "edit", key: "E", label: "Edit", will: "" },
  {
    command: "priority",
    key: "n",
    label: "Priority",
    will: "Of the tasks that are ready, an agent takes the one with the highest number.",
  },
  {
    command: "block",
    key: "b",
    label: "Block",
    will: "No agent takes {task} until you let it be tried again. One at work on it ends.",
    asks: "reason",
  },
  {
    command: "cancel",
    key: "X",
    label: "Give up",
    will: "{task} counts as failed, and an agent at work on it ends. Its workspace stays.",
    asks: "reason",
    danger: true,
  },
];

export const COMMAND_OF: ReadonlyMap<string, TaskCommandSpec> = new Map(
  TASK_COMMANDS.map((each) => [each.command, each]),
);

/** Returns why a command is impossible now, or "". */
export function whyNotCommand(command: string, task: TaskRow): string {
  if (task.commands.includes(command)) return "";
  if (task.merge === "merging") return `${task.id} is being merged.`;
  return `Not now: ${task.id} is ${task.held ? "stopped" : task.state}.`;
}
