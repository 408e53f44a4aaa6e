/** Saves the files of a folder now, with a name if the person likes. */
import { useSignal } from "@preact/signals";
import { api } from "../../api/client";
import type { CheckpointRow } from "../../api/types";
import { problemText } from "../../live/loaded";
import { Dialog } from "../../parts/Dialog";

interface SaveDialogProps {
  folder: string;
  onClose: () => void;
  onDone: (saved: CheckpointRow) => void;
}

export function SaveDialog({ folder, onClose, onDone }: SaveDialogProps) {
  const name = useSignal("");
  const busy = useSignal(false);
  const problem = useSignal("");

  async function save(event: Event): Promise<void> {
    event.preventDefault();
    busy.value = true;
    problem.value = "";
    try {
      onDone(await api.post("/checkpoints", {}, { folder, name: name.value.trim() }));
    } catch (error) {
      problem.value = problemText(error);
      busy.value = false;
    }
  }

  return (
    <Dialog title="Save the files now" onClose={onClose}>
      <form class="dialog-form" onSubmit={save}>
        <p>
          Handrail saves the files of <code>{folder}</code>. Nothing changes.
        </p>
        <label class="dialog-field">
          <span>
            Name <span class="dim">(such as before-refactoring; if you like)</span>
          </span>
          <input type="text" autofocus value={name} onInput={(event) => (name.value = event.currentTarget.value)} />
        </label>
        <p role="alert" class="field-problem">
          {problem.value}
        </p>
        <div class="dialog-foot">
          <button type="button" class="button" onClick={onClose}>
            Leave it
          </button>
          <button type="submit" class="button button-primary" disabled={busy.value}>
            {busy.value ? "Saving …" : "Save"}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
