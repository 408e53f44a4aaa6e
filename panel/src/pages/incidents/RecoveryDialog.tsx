/** The second step of a decision about a stopped run, with a note for the agent. */
import { useSignal } from "@preact/signals";
import { api } from "../../api/client";
import type { IncidentRow, RecoveryRow } from "../../api/types";
import { DialogForm } from "../../parts/DialogForm";
import { MarkdownLine } from "../../parts/Markdown";

interface RecoveryDialogProps {
  incident: IncidentRow;
  option: RecoveryRow;
  onClose: () => void;
  onDone: (says: string) => void;
}

export function RecoveryDialog({ incident, option, onClose, onDone }: RecoveryDialogProps) {
  const note = useSignal("");

  async function send(): Promise<void> {
    const order = { option: option.option, note: note.value.trim() };
    const answer = await api.post("/incidents/{incident}", { incident: incident.id }, order);
    onDone(answer.says);
  }

  const ends = option.option === "abort";
  return (
    <DialogForm
      title={`${option.label}: ${incident.run_name}`}
      label={`Yes: ${option.label}`}
      busyLabel="Deciding …"
      danger={ends}
      send={send}
      onClose={onClose}
    >
      <p>
        <MarkdownLine text={option.says} />
      </p>
      <label class="dialog-field">
        <span>
          {ends ? "Why" : "A note for the agent"} <span class="dim">(if you like)</span>
        </span>
        <textarea value={note} onInput={(event) => (note.value = event.currentTarget.value)} />
      </label>
    </DialogForm>
  );
}
