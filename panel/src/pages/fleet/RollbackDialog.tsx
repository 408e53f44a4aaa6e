/** Chooses the checkpoint that a whole fleet goes back to. */
import { useSignal } from "@preact/signals";
import { api } from "../../api/client";
import type { RestoreOrder } from "../../api/types";
import { useLoaded } from "../../live/loaded";
import { Dialog } from "../../parts/Dialog";
import { clock } from "../../parts/format";

interface RollbackDialogProps {
  folder: string;
  onClose: () => void;
  onChosen: (title: string, order: RestoreOrder) => void;
}

export function RollbackDialog({ folder, onClose, onChosen }: RollbackDialogProps) {
  const { value, problem } = useLoaded(() => api.get("/checkpoints", { folder, limit: 100 }), [folder]);
  const chosen = useSignal("");
  const id = chosen.value || (value?.items[0]?.id ?? "");

  function submit(event: Event): void {
    event.preventDefault();
    const checkpoint = value?.items.find((each) => each.id === id);
    if (!checkpoint) return;
    const title = `Roll back to ${checkpoint.name || checkpoint.id}`;
    onChosen(title, { folder, level: "checkpoint", checkpoint: checkpoint.id });
  }

  return (
    <Dialog title="Roll the fleet back" onClose={onClose}>
      <form class="dialog-form" onSubmit={submit}>
        <p>Handrail shows what would be lost before anything changes.</p>
        {!value && !problem && <p class="dim">Reading the checkpoints …</p>}
        {value?.items.length === 0 && <p>Nothing is saved here yet.</p>}
        {value && value.items.length > 0 && (
          <label class="dialog-field">
            To the checkpoint
            <select autofocus value={id} onChange={(event) => (chosen.value = event.currentTarget.value)}>
              {value.items.map((each) => (
                <option key={each.id} value={each.id}>
                  {[each.name || each.id, clock(each.at), each.why].filter(Boolean).join(" · ")}
                </option>
              ))}
            </select>
          </label>
        )}
        <p role="alert" class="field-problem">
          {problem}
        </p>
        <div class="dialog-foot">
          <button
            type="button"
            class="button"
            onClick={() => onChosen("Redo", { folder, level: "redo" })}
            title="Bring back what the last rollback took"
          >
            Redo …
          </button>
          <button type="button" class="button" onClick={onClose}>
            Leave it
          </button>
          <button type="submit" class="button button-primary" disabled={!id}>
            Show what it would do
          </button>
        </div>
      </form>
    </Dialog>
  );
}
