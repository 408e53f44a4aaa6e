/** The second step of a decision about a stopped run, with a note for the agent. */
import { useSignal } from "@preact/signals";
import { api } from "../../api/client";
import type { IncidentRow, RecoveryRow } from "../../api/types";
import { problemText } from "../../live/loaded";
import { Dialog } from "../../parts/Dialog";
import { MarkdownLine } from "../../parts/Markdown";

interface RecoveryDialogProps {
  incident: IncidentRow;
  option: RecoveryRow;
  onClose: () => void;
  onDone: (says: string) => void;
}

export function RecoveryDialog({ incident, option, onClose, onDone }: RecoveryDialogProps) {
  const note = useSignal("");
  const busy = useSignal(false);
  const problem = useSignal("");

  async function decide(event: Event): Promise<void> {
    event.preventDefault();
    busy.value = true;
    problem.value = "";
    try {
      const order = { option: option.option, note: note.value.trim() };
      const answer = await api.post("/incidents/{incident}", { incident: incident.id }, order);
      onDone(answer.says);
    } catch (error) {
      problem.value = problemText(error);
      busy.value = false;
    }
  }

  const ends = option.option === "abort";
  return (
    <Dialog title={`${option.label}: ${incident.run_name}`} onClose={onClose}>
      <form class="dialog-form" onSubmit={decide}>
        <p>
          <MarkdownLine text={option.says} />
        </p>
        <label class="dialog-field">
          <span>
            {ends ? "Why" : "A note for the agent"} <span class="dim">(if you like)</span>
          </span>
          <textarea value={note} onInput={(event) => (note.value = event.currentTarget.value)} />
        </label>
        <p role="alert" class="field-problem">
          {problem.value}
        </p>
        <div class="dialog-foot">
          <button type="button" class="button" onClick={onClose}>
            Leave it
          </button>
          <button type="submit" disabled={busy.value} class={ends ? "button button-danger" : "button button-primary"}>
            {busy.value ? "Deciding …" : `Yes: ${option.label}`}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
