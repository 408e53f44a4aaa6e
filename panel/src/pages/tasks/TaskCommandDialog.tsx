/** Asks what a command about a task needs; grave ones take a second step. */
import { useSignal } from "@preact/signals";
import { useId } from "preact/hooks";
import type { TaskCommandRequest, TaskRow } from "../../api/types";
import { DialogForm } from "../../parts/DialogForm";
import { sendTaskCommand } from "./sending";
import type { TaskCommandSpec } from "./taskCommands";

interface TaskCommandDialogProps {
  fleet: string;
  task: TaskRow;
  tasks: readonly TaskRow[];
  command: TaskCommandRequest["command"];
  spec: TaskCommandSpec;
  /** The other task of a redirect, if it is known. */
  to: string;
  onClose: () => void;
}

const WORKSPACES = [
  { value: "new", label: "in a new workspace" },
  { value: "same", label: "in the same workspace" },
] as const;

export function TaskCommandDialog({ fleet, task, tasks, command, spec, to, onClose }: TaskCommandDialogProps) {
  const text = useSignal("");
  const target = useSignal(to);
  const workspace = useSignal<"new" | "same">("new");
  const priority = useSignal(String(task.priority));
  const resolve = useSignal(false);
  const keep = useSignal(false);
  const name = useId();
  const will = spec.will.replace("{task}", task.id);
  const others = tasks.filter((each) => each.status === "pending" && each.id !== task.id);

  async function send(): Promise<void> {
    const request: TaskCommandRequest = { command };
    if (spec.asks) request[spec.asks] = text.value.trim();
    if (command === "priority") request.priority = Number(priority.value);
    if (command === "redirect") Object.assign(request, { to: target.value, workspace: workspace.value });
    if (command === "merge") Object.assign(request, { to: target.value.trim(), resolve: resolve.value, keep: keep.value });
    await sendTaskCommand(fleet, task.id, request);
    onClose();
  }

  return (
    <DialogForm
      title={`${spec.label}: ${task.id}`}
      label={spec.label}
      danger={spec.danger ?? false}
      confirm={spec.danger ? will : ""}
      send={send}
      onClose={onClose}
    >
      <p>{will}</p>
      {command === "redirect" && (
        <>
          <label class="dialog-field">
            The other task
            <select
              required
              autofocus
              value={target}
              onChange={(event) => (target.value = event.currentTarget.value)}
            >
              <option value="">{others.length ? "Choose one" : "No other task waits"}</option>
              {others.map((each) => (
                <option key={each.id} value={each.id}>
                  {each.id}
                  {each.label !== each.id && `: ${each.label}`}
                </option>
              ))}
            </select>
          </label>
          <fieldset class="dialog-choices">
            <legend class="sr-only">Workspace</legend>
            {WORKSPACES.map((each) => (
              <label key={each.value}>
                <input
                  type="radio"
                  name={name}
                  checked={workspace.value === each.value}
                  onChange={() => (workspace.value = each.value)}
                />{" "}
                {each.label}
              </label>
            ))}
          </fieldset>
        </>
      )}
      {command === "priority" && (
        <label class="dialog-field">
          Its priority
          <input
            type="number"
            required
            autofocus
            min={-1000}
            max={1000}
            value={priority}
            onInput={(event) => (priority.value = event.currentTarget.value)}
          />
        </label>
      )}
      {command === "merge" && (
        <>
          <label class="dialog-field">
            <span>
              Into the branch <span class="dim">(empty: the one that is checked out)</span>
            </span>
            <input
              type="text"
              autofocus
              value={target}
              onInput={(event) => (target.value = event.currentTarget.value)}
            />
          </label>
          <div>
            <label>
              <input type="checkbox" checked={resolve} onChange={() => (resolve.value = !resolve.value)} /> A conflict
              goes back to the agent of the task
            </label>
            <label>
              <input type="checkbox" checked={keep} onChange={() => (keep.value = !keep.value)} /> Keep the workspace
            </label>
          </div>
        </>
      )}
      {spec.asks && (
        <label class="dialog-field">
          <span>
            {spec.asks === "reason" ? "Reason" : "What the next agent is told"} <span class="dim">(if you like)</span>
          </span>
          <textarea
            autofocus={command !== "redirect"}
            value={text}
            onInput={(event) => (text.value = event.currentTarget.value)}
          />
        </label>
      )}
    </DialogForm>
  );
}
