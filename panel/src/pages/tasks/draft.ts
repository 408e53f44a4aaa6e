/** A task as the texts of a form, and back. */
import type { TaskDetail, TaskDraft } from "../../api/types";

const LIMIT_NAMES = ["iterations", "minutes", "cost_usd", "tokens", "memory_mb"] as const;
const NAMES = ["title", "id", "priority", "verify", "depends_on", "scope", "model", "host"] as const;
type LimitName = (typeof LIMIT_NAMES)[number];
type FieldName = (typeof NAMES)[number];

export type DraftFields = Record<FieldName | LimitName | "prompt", string>;

interface FieldSpec<Name> {
  name: Name;
  label: string;
  hint: string;
  type: "text" | "number";
}

export const FIELDS: readonly FieldSpec<FieldName>[] = [
  { name: "title", label: "Title", hint: "(empty: the first line)", type: "text" },
  { name: "id", label: "Id", hint: "(empty: Handrail makes one)", type: "text" },
  { name: "priority", label: "Priority", hint: "(the highest goes first)", type: "number" },
  { name: "verify", label: "Verified by", hint: "(such as pytest -q)", type: "text" },
  { name: "depends_on", label: "After", hint: "(ids of tasks, with commas)", type: "text" },
  { name: "scope", label: "May change", hint: "(paths, with commas)", type: "text" },
  { name: "model", label: "Model", hint: "", type: "text" },
  { name: "host", label: "Agent", hint: "(such as claude)", type: "text" },
];

export const LIMITS: readonly { name: LimitName; label: string }[] = [
  { name: "iterations", label: "Iterations" },
  { name: "minutes", label: "Minutes" },
  { name: "cost_usd", label: "US dollars" },
  { name: "tokens", label: "Tokens" },
  { name: "memory_mb", label: "Memory in MB" },
];

export const NO_DRAFT = Object.fromEntries(
  [...NAMES, ...LIMIT_NAMES, "prompt"].map((name) => [name, ""]),
) as DraftFields;

function listed(text: string): string[] {
  return text.split(",").map((each) => each.trim()).filter(Boolean);
}

/** Returns what a form shows of a task. */
export function fieldsOf(task: TaskDetail): DraftFields {
  const limits = LIMIT_NAMES.map((name) => [name, task.limits[name] ? String(task.limits[name]) : ""]);
  return {
    ...NO_DRAFT,
    ...Object.fromEntries(limits),
    prompt: task.prompt,
    title: task.title,
    priority: task.row.priority ? String(task.row.priority) : "",
    verify: task.verify,
    depends_on: task.row.depends_on.join(", "),
    scope: task.scope.join(", "),
    model: task.model,
    host: task.host,
  };
}

/** Returns what is sent of a form. */
export function draftOf(fields: DraftFields): TaskDraft {
  const limits: Record<string, number> = {};
  for (const name of LIMIT_NAMES) {
    if (Number(fields[name]) > 0) limits[name] = Number(fields[name]);
  }
  return {
    prompt: fields.prompt,
    id: fields.id.trim(),
    title: fields.title.trim(),
    verify: fields.verify.trim(),
    depends_on: listed(fields.depends_on),
    scope: listed(fields.scope),
    priority: Number(fields.priority) || 0,
    model: fields.model.trim(),
    host: fields.host.trim(),
    limits,
  };
}
