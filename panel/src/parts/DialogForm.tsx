/** A dialog that sends something: its fields, what went wrong, and the two buttons at its end. */
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { Dialog } from "./Dialog";
import { useSending } from "./useSending";
import "../style/records.css";

interface DialogFormProps {
  title: string;
  /** What the button does. */
  label: string;
  /** What the button says meanwhile. */
  busyLabel?: string;
  danger?: boolean;
  disabled?: boolean;
  /** A person agrees to this in a second step; empty: one step is enough. */
  confirm?: string;
  wide?: boolean;
  /** Sends it. What it raises is shown, and the dialog stays. */
  send: () => Promise<void>;
  onClose: () => void;
  children: ComponentChildren;
}

export function DialogForm(props: DialogFormProps) {
  const { title, label, busyLabel = "Sending …", danger = false, disabled = false, confirm = "" } = props;
  const { busy, problem, send } = useSending();
  const sure = useSignal(false);

  async function submit(event: Event): Promise<void> {
    event.preventDefault();
    if (disabled) return;
    if (confirm && !sure.value) sure.value = true;
    else if (!(await send(props.send))) sure.value = false;
  }

  return (
    <Dialog title={title} onClose={props.onClose} wide={props.wide ?? false}>
      <form class="dialog-form" onSubmit={submit}>
        {props.children}
        {sure.value && (
          <p class="note note-yellow" role="alert">
            <span>Are you sure? {confirm}</span>
          </p>
        )}
        {problem.value && (
          <p role="alert" class="field-problem">
            {problem.value}
          </p>
        )}
        <div class="dialog-foot">
          <button type="button" class="button" onClick={props.onClose}>
            Leave it
          </button>
          <button
            type="submit"
            class={danger ? "button button-danger" : "button button-primary"}
            disabled={busy.value || disabled}
          >
            {busy.value ? busyLabel : sure.value ? `Yes: ${label}` : label}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
