/** Adds a task, or changes one that nobody works on. */
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { api } from "../../api/client";
import type { TaskDraft, TaskRow } from "../../api/types";
import { notify } from "../../frame/notices";
import { problemText } from "../../live/loaded";
import { DialogForm } from "../../parts/DialogForm";
import { type DraftFields, FIELDS, LIMITS, NO_DRAFT, draftOf, fieldsOf } from "./draft";

interface TaskFormProps {
  fleet: string;
  tasks: readonly TaskRow[];
  /** The task to change; none: a new one. */
  task?: TaskRow;
  onClose: () => void;
}

export function TaskForm({ fleet, tasks, task, onClose }: TaskFormProps) {
  const fields = useSignal<DraftFields | null>(task ? null : NO_DRAFT);
  const problem = useSignal("");
  const prompt = useRef<HTMLTextAreaElement>(null);

  async function read(id: string): Promise<void> {
    try {
      fields.value = fieldsOf(await api.get("/fleets/{fleet}/tasks/{task}", { fleet, task: id }));
    } catch (error) {
      problem.value = problemText(error);
    }
  }
  useEffect(() => {
    if (task) void read(task.id);
  }, []);

  // The dialog had its focus before the task came.
  const isThere = fields.value !== null;
  useEffect(() => prompt.current?.focus(), [isThere]);

  async function send(): Promise<void> {
    if (!fields.value) return;
    const draft: TaskDraft = draftOf(fields.value);
    const row = task
      ? await api.put("/fleets/{fleet}/tasks/{task}", { fleet, task: task.id }, draft)
      : await api.post("/fleets/{fleet}/tasks", { fleet }, draft);
    notify(task ? `${row.id} was changed` : `${row.id} was added`);
    onClose();
  }

  const set = (name: keyof DraftFields) => (event: { currentTarget: { value: string } }) => {
    if (fields.value) fields.value = { ...fields.value, [name]: event.currentTarget.value };
  };

  const given = fields.value;
  return (
    <DialogForm
      title={task ? `Edit ${task.id}` : "Add a task"}
      label={task ? "Save" : "Add it"}
      busyLabel="Saving …"
      disabled={!given}
      wide
      send={send}
      onClose={onClose}
    >
      {!given && !problem.value && <p class="dim">Reading the task …</p>}
      {problem.value && (
        <p role="alert" class="field-problem">
          {problem.value}
        </p>
      )}
      {given && (
        <>
          <label class="dialog-field">
            What the agent shall do
            <textarea
              ref={prompt}
              required
              class="task-prompt-field"
              value={given.prompt}
              onInput={set("prompt")}
            />
          </label>
          <div class="task-fields">
            {FIELDS.filter((each) => each.name !== "id" || !task).map((each) => (
              <label key={each.name} class="dialog-field">
                <span>
                  {each.label} <span class="dim">{each.hint}</span>
                </span>
                <input
                  type={each.type}
                  list={each.name === "depends_on" ? "task-ids" : undefined}
                  value={given[each.name]}
                  onInput={set(each.name)}
                />
              </label>
            ))}
          </div>
          <details open={LIMITS.some((each) => given[each.name] !== "")}>
            <summary>Limits of one attempt</summary>
            <div class="task-fields">
              {LIMITS.map((each) => (
                <label key={each.name} class="dialog-field">
                  {each.label}
                  <input type="number" min={0} step="any" value={given[each.name]} onInput={set(each.name)} />
                </label>
              ))}
            </div>
          </details>
          <datalist id="task-ids">
            {tasks.slice(0, 200).map((each) => (
              <option key={each.id} value={each.id} />
            ))}
          </datalist>
        </>
      )}
    </DialogForm>
  );
}
