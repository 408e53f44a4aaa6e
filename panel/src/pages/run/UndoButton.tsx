/** Undoes one action: shows first what that would change, then asks. */
import { useSignal } from "@preact/signals";
import { api } from "../../api/client";
import type { components } from "../../api/schema";
import type { Complete } from "../../api/types";
import { notify, notifyError } from "../../frame/notices";
import { DiffView } from "../../parts/DiffView";
import { Dialog } from "../../parts/Dialog";

type Preview = Complete<components["schemas"]["PreviewAnswer"]>;

interface UndoButtonProps {
  run: string;
  folder: string;
  step: number;
}

export function UndoButton({ run, folder, step }: UndoButtonProps) {
  const preview = useSignal<Preview | null>(null);
  const busy = useSignal(false);
  const order = { folder, level: "action", run, step } as const;

  async function look(): Promise<void> {
    busy.value = true;
    try {
      preview.value = await api.post("/restores/preview", {}, order);
    } catch (error) {
      notifyError(error);
    } finally {
      busy.value = false;
    }
  }

  async function undo(expects: string): Promise<void> {
    busy.value = true;
    try {
      const done = await api.post("/restores", {}, { ...order, expects });
      notify(done.says, done.redo && "handrail redo puts it back");
      preview.value = null;
    } catch (error) {
      notifyError(error);
    } finally {
      busy.value = false;
    }
  }

  const shown = preview.value;
  return (
    <>
      <button type="button" class="button button-small" disabled={busy.value} onClick={look}>
        {busy.value ? "Looking …" : "Undo this action …"}
      </button>
      {shown && (
        <Dialog title={`Undo action ${step}`} onClose={() => (preview.value = null)} wide>
          <p>{shown.says}</p>
          <table class="table">
            <tbody>
              {shown.changes.map((each) => (
                <tr key={each.path}>
                  <td>{each.how}</td>
                  <td class="mono">{each.path}</td>
                  <td class="dim">{each.says}</td>
                </tr>
              ))}
            </tbody>
          </table>
          {shown.warnings.map((each) => (
            <p key={each} class="tone-yellow">
              ! {each}
            </p>
          ))}
          {shown.diff && <DiffView diff={shown.diff} />}
          <div class="dialog-foot">
            <button type="button" class="button" onClick={() => (preview.value = null)}>
              Leave it
            </button>
            <button
              type="button"
              class="button button-danger"
              disabled={busy.value || shown.changes.length === 0}
              onClick={() => undo(shown.expects)}
            >
              Undo it
            </button>
          </div>
        </Dialog>
      )}
    </>
  );
}
