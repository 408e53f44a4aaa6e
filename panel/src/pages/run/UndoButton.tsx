/** Undoes one action: shows first what that would change, then asks. */
import { useSignal } from "@preact/signals";
import { RestoreDialog } from "../../parts/RestoreDialog";

interface UndoButtonProps {
  run: string;
  folder: string;
  step: number;
}

export function UndoButton({ run, folder, step }: UndoButtonProps) {
  const open = useSignal(false);
  return (
    <>
      <button type="button" class="button button-small" onClick={() => (open.value = true)}>
        Undo this action …
      </button>
      {open.value && (
        <RestoreDialog
          title={`Undo action ${step}`}
          order={{ folder, level: "action", run, step }}
          onClose={() => (open.value = false)}
        />
      )}
    </>
  );
}
