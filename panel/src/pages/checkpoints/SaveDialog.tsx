/** Saves the files of a folder now, or a whole fleet, with a name if the person likes. */
import { useSignal } from "@preact/signals";
import { api } from "../../api/client";
import type { CheckpointRow } from "../../api/types";
import { DialogForm } from "../../parts/DialogForm";

interface SaveDialogProps {
  folder: string;
  /** The fleet that is saved with all its tasks; empty: only the files of the folder. */
  fleet?: string;
  onClose: () => void;
  onDone: (saved: CheckpointRow) => void;
}

export function SaveDialog({ folder, fleet = "", onClose, onDone }: SaveDialogProps) {
  const name = useSignal("");

  async function send(): Promise<void> {
    onDone(await api.post("/checkpoints", {}, { folder, name: name.value.trim() }));
  }

  return (
    <DialogForm
      title={fleet ? `Save the fleet: ${fleet}` : "Save the files now"}
      label="Save"
      busyLabel="Saving …"
      send={send}
      onClose={onClose}
    >
      <p>
        Handrail saves {fleet ? "every task, all workspaces and" : ""} the files of <code>{folder}</code>. Nothing
        changes.
      </p>
      <label class="dialog-field">
        <span>
          Name <span class="dim">(such as before-refactoring; if you like)</span>
        </span>
        <input type="text" autofocus value={name} onInput={(event) => (name.value = event.currentTarget.value)} />
      </label>
    </DialogForm>
  );
}
