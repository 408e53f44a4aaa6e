/** One column per state. A task is dragged within its column, onto another, or onto an agent at work. */
import { useSignal } from "@preact/signals";
import type { TaskRow } from "../../api/types";
import { VirtualList } from "../../parts/VirtualList";
import { COLUMNS, type TaskStatus, commandOfDrop } from "./board";
import { moveTask } from "./moving";
import { TaskCard } from "./TaskCard";
import type { TaskCommandName } from "./taskCommands";

const CARD = 102;

interface TaskBoardProps {
  fleet: string;
  columns: Record<TaskStatus, TaskRow[]>;
  /** Whether the columns have all tasks, and this person may move them. */
  whole: boolean;
  chosen: string;
  onChoose: (id: string) => void;
  onMenu: (task: TaskRow) => void;
  onCommand: (task: TaskRow, command: TaskCommandName, to?: string) => void;
}

interface Over {
  status: TaskStatus;
  /** The card under the pointer; empty: the column itself. */
  id: string;
  after: boolean;
}

export function TaskBoard({ fleet, columns, whole, chosen, onChoose, onMenu, onCommand }: TaskBoardProps) {
  const dragged = useSignal<TaskRow | null>(null);
  const over = useSignal<Over | null>(null);

  function canDrop(onto: TaskRow | null, status: TaskStatus): boolean {
    const task = dragged.peek();
    if (!task) return false;
    if (onto && isRedirect(task, onto)) return true;
    return task.status === status ? status === "pending" && whole : commandOfDrop(task, status) !== "";
  }

  function drag(event: DragEvent, status: TaskStatus, onto: TaskRow | null): void {
    if (!canDrop(onto, status)) return;
    event.preventDefault();
    event.stopPropagation();
    const box = (event.currentTarget as HTMLElement).getBoundingClientRect();
    const after = event.clientY > box.top + box.height / 2;
    const now = over.peek();
    const id = onto?.id ?? "";
    if (now?.status !== status || now.id !== id || now.after !== after) over.value = { status, id, after };
  }

  function drop(event: DragEvent, status: TaskStatus, onto: TaskRow | null): void {
    event.preventDefault();
    event.stopPropagation();
    const task = dragged.peek();
    const where = over.peek();
    dragged.value = null;
    over.value = null;
    if (!task) return;
    if (onto && isRedirect(task, onto)) return onCommand(onto, "redirect", task.id);
    if (task.status !== status) {
      const command = commandOfDrop(task, status);
      if (command) onCommand(task, command as TaskCommandName);
      return;
    }
    const rest = columns[status].filter((each) => each.id !== task.id);
    const at = onto && onto.id !== task.id ? rest.indexOf(onto) + (where?.after ? 1 : 0) : -1;
    if (onto?.id !== task.id) moveTask(fleet, columns[status], task.id, at < 0 ? rest.length : at);
  }

  return (
    <div class="board">
      {COLUMNS.map(({ status, title }) => {
        const tasks = columns[status];
        const isOver = over.value?.status === status;
        return (
          <section
            key={status}
            class={isOver && !over.value?.id ? "board-column board-over" : "board-column"}
            aria-label={title}
            onDragOver={(event) => drag(event, status, null)}
            onDrop={(event) => drop(event, status, null)}
          >
            <h2>
              {title} <span class="dim">{tasks.length.toLocaleString("en-US")}</span>
            </h2>
            <VirtualList
              items={tasks}
              keyOf={(task) => task.id}
              height={CARD}
              label={`${title} tasks`}
              chosen={tasks.findIndex((each) => each.id === chosen)}
              rowProps={(task) => ({
                draggable: whole,
                onDragStart: (event) => {
                  dragged.value = task;
                  event.dataTransfer?.setData("text/plain", task.id);
                },
                onDragEnd: () => {
                  dragged.value = null;
                  over.value = null;
                },
                onDragOver: (event) => drag(event, status, task),
                onDrop: (event) => drop(event, status, task),
              })}
            >
              {(task) => (
                <TaskCard
                  task={task}
                  chosen={task.id === chosen}
                  drop={dropOf(over.value, dragged.value, task)}
                  onChoose={() => onChoose(task.id)}
                  onMenu={() => onMenu(task)}
                />
              )}
            </VirtualList>
            {tasks.length === 0 && <p class="board-none dim">None</p>}
          </section>
        );
      })}
    </div>
  );
}

/** A task that waits, dropped on one at work: the slot goes on with it. */
function isRedirect(task: TaskRow, onto: TaskRow): boolean {
  return task.id !== onto.id && task.status === "pending" && onto.commands.includes("redirect");
}

function dropOf(over: Over | null, dragged: TaskRow | null, task: TaskRow): "" | "before" | "after" | "onto" {
  if (!over || !dragged || over.id !== task.id || dragged.id === task.id) return "";
  if (isRedirect(dragged, task)) return "onto";
  if (dragged.status !== task.status) return "";
  return over.after ? "after" : "before";
}
