/** The dialogs about one task: the menu of its commands, the command itself, and the form. */
import { type Signal, useSignal } from "@preact/signals";
import type { TaskRow } from "../../api/types";
import { READ_ONLY, readOnly } from "../../live/rights";
import { Dialog } from "../../parts/Dialog";
import { COMMAND_OF, TASK_COMMANDS, type TaskCommandName, whyNotCommand } from "./taskCommands";
import { TaskCommandDialog } from "./TaskCommandDialog";
import { TaskForm } from "./TaskForm";

interface Asked {
  task: TaskRow;
  command: TaskCommandName | "menu";
  /** The other task of a redirect, if it is known. */
  to: string;
}

export interface TaskDialogState {
  asked: Signal<Asked | null>;
  open: (task: TaskRow, command: TaskCommandName, to?: string) => void;
  openMenu: (task: TaskRow) => void;
}

/** Returns which dialog is open, and how to open one. */
export function useTaskDialogs(): TaskDialogState {
  const asked = useSignal<Asked | null>(null);
  return {
    asked,
    open: (task, command, to = "") => (asked.value = { task, command, to }),
    openMenu: (task) => (asked.value = { task, command: "menu", to: "" }),
  };
}

interface TaskDialogsProps {
  fleet: string;
  tasks: readonly TaskRow[];
  dialogs: TaskDialogState;
}

export function TaskDialogs({ fleet, tasks, dialogs }: TaskDialogsProps) {
  const asked = dialogs.asked.value;
  if (!asked) return null;
  const close = () => (dialogs.asked.value = null);
  const task = tasks.find((each) => each.id === asked.task.id) ?? asked.task;
  if (asked.command === "menu") return <Menu task={task} dialogs={dialogs} onClose={close} />;
  if (asked.command === "edit") return <TaskForm fleet={fleet} tasks={tasks} task={task} onClose={close} />;
  const spec = COMMAND_OF.get(asked.command);
  if (!spec) return null;
  return (
    <TaskCommandDialog
      key={asked.command}
      fleet={fleet}
      task={task}
      tasks={tasks}
      command={asked.command}
      spec={spec}
      to={asked.to}
      onClose={close}
    />
  );
}

function Menu({ task, dialogs, onClose }: { task: TaskRow; dialogs: TaskDialogState; onClose: () => void }) {
  return (
    <Dialog title={task.label || task.id} onClose={onClose}>
      <ul class="task-menu">
        {TASK_COMMANDS.map((each) => {
          const whyNot = readOnly.value ? READ_ONLY : whyNotCommand(each.command, task);
          return (
            <li key={each.command}>
              <button
                type="button"
                class={each.danger ? "button button-danger" : "button"}
                aria-disabled={whyNot ? "true" : undefined}
                title={whyNot || undefined}
                onClick={() => !whyNot && dialogs.open(task, each.command)}
              >
                {each.label} …
              </button>
              <span class="dim">{whyNot || <kbd>{each.key}</kbd>}</span>
            </li>
          );
        })}
      </ul>
      <div class="dialog-foot">
        <button type="button" class="button" onClick={onClose}>
          Close
        </button>
      </div>
    </Dialog>
  );
}
