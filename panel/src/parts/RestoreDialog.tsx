/** Undo, rollback and redo: a preview, a second step, then what was done. Any page may open it. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { ApiError, api } from "../api/client";
import type { PreviewAnswer, RestoreOrder, RestoreOutcome } from "../api/types";
import { problemText } from "../live/loaded";
import { READ_ONLY, readOnly } from "../live/rights";
import { Dialog } from "./Dialog";
import { DiffView } from "./DiffView";
import { plural } from "./format";
import { PathChanges } from "./PathChanges";
import { doesAnything, losses, takeBackOf, touched } from "./restore";

interface RestoreDialogProps {
  /** What it does, such as "Undo action 14". */
  title: string;
  order: RestoreOrder;
  onClose: () => void;
  /** After something was restored. */
  onDone?: () => void;
}

export function RestoreDialog({ title, order, onClose, onDone }: RestoreDialogProps) {
  const wanted = useSignal(order);
  const does = useSignal(title);
  const preview = useSignal<PreviewAnswer | null>(null);
  const outcome = useSignal<RestoreOutcome | null>(null);
  const sure = useSignal(false);
  const busy = useSignal(false);
  const problem = useSignal("");

  async function look(): Promise<void> {
    busy.value = true;
    sure.value = false;
    preview.value = null;
    try {
      preview.value = await api.post("/restores/preview", {}, wanted.peek());
    } catch (error) {
      problem.value = problemText(error);
    } finally {
      busy.value = false;
    }
  }

  async function restore(expects: string): Promise<void> {
    busy.value = true;
    problem.value = "";
    try {
      outcome.value = await api.post("/restores", {}, { ...wanted.peek(), expects });
      onDone?.();
    } catch (error) {
      problem.value = problemText(error);
      // The files are not those of the preview any more: the person decides about a new one.
      if (error instanceof ApiError && error.problem.status === 409) await look();
    } finally {
      busy.value = false;
    }
  }

  function choose(change: Partial<RestoreOrder>): void {
    wanted.value = { ...wanted.peek(), ...change };
    problem.value = "";
    void look();
  }

  function takeBack(checkpoint: string): void {
    wanted.value = takeBackOf(wanted.peek(), checkpoint);
    does.value = wanted.value.level === "redo" ? "Redo" : "Take the redo back";
    outcome.value = null;
    problem.value = "";
    void look();
  }

  useEffect(() => void look(), []);

  const shown = preview.value;
  const done = outcome.value;
  const can = shown !== null && doesAnything(shown) && !readOnly.value;
  return (
    <Dialog title={does.value} onClose={onClose} wide>
      <p class="sr-only" role="status">
        {busy.value ? "Working …" : (done?.says ?? shown?.says ?? "")}
      </p>
      {problem.value && (
        <p class="note note-red" role="alert">
          <span>{problem.value}</span>
        </p>
      )}
      {done ? (
        <Outcome outcome={done} />
      ) : shown ? (
        <Preview preview={shown} wanted={wanted.value} disabled={busy.value} onChoose={choose} />
      ) : (
        busy.value && <p class="dim">Comparing the files …</p>
      )}
      {sure.value && shown && !done && (
        <p class="note note-yellow" role="alert">
          <span>
            {shown.fleet
              ? "The whole fleet goes back. What is there now is saved first. Go on?"
              : `This changes ${plural(touched(shown), "file")} in ${order.folder}. What is there now is saved first. Go on?`}
          </span>
        </p>
      )}
      {readOnly.value && <p class="dim">{READ_ONLY}</p>}
      <div class="dialog-foot">
        {done?.redo && (
          <button type="button" class="button" onClick={() => takeBack(done.redo)}>
            Take this back …
          </button>
        )}
        <button type="button" class="button" onClick={onClose}>
          {done || !can ? "Close" : "Leave it"}
        </button>
        {!done && shown && can && (
          <button
            type="button"
            class={sure.value ? "button button-danger" : "button button-primary"}
            disabled={busy.value}
            onClick={() => (sure.value ? void restore(shown.expects) : (sure.value = true))}
          >
            {busy.value ? "Restoring …" : sure.value ? `Yes: ${does.value}` : does.value}
          </button>
        )}
      </div>
    </Dialog>
  );
}

interface PreviewProps {
  preview: PreviewAnswer;
  wanted: RestoreOrder;
  disabled: boolean;
  onChoose: (change: Partial<RestoreOrder>) => void;
}

function Preview({ preview, wanted, disabled, onChoose }: PreviewProps) {
  const kept = preview.changes.some((each) => each.how === "keep");
  const ofAgent = wanted.level === "action" || wanted.level === "iteration" || wanted.level === "task";
  return (
    <div class="record">
      <p>{preview.says}</p>
      {preview.warnings.length > 0 && (
        <ul class="note note-yellow">
          {preview.warnings.map((each) => (
            <li key={each}>! {each}</li>
          ))}
        </ul>
      )}
      {losses(preview).map((each) => (
        <section key={each.title} class="note note-red">
          <strong>
            {each.title} <span class="dim">({each.lines.length})</span>
          </strong>
          <ul>
            {each.lines.map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ul>
        </section>
      ))}
      {!doesAnything(preview) && <p>There is nothing to restore.</p>}
      <div>
        <PathChanges changes={preview.changes} />
      </div>
      {(kept || wanted.over || ofAgent) && (
        <div>
          {(kept || wanted.over) && (
            <Choice
              label="Overwrite also what was changed since by others"
              checked={wanted.over ?? false}
              disabled={disabled}
              onChange={(over) => onChoose({ over })}
            />
          )}
          {ofAgent && (
            <Choice
              label="Take commits, branches and stashes back, too"
              checked={wanted.git ?? false}
              disabled={disabled}
              onChange={(git) => onChoose({ git })}
            />
          )}
        </div>
      )}
      {preview.diff && (
        <details>
          <summary>Show the difference</summary>
          <DiffView diff={preview.diff} />
        </details>
      )}
    </div>
  );
}

interface ChoiceProps {
  label: string;
  checked: boolean;
  disabled: boolean;
  onChange: (checked: boolean) => void;
}

function Choice({ label, checked, disabled, onChange }: ChoiceProps) {
  return (
    <label>
      <input
        type="checkbox"
        checked={checked}
        disabled={disabled}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />{" "}
      {label}
    </label>
  );
}

function Outcome({ outcome }: { outcome: RestoreOutcome }) {
  return (
    <div class="record">
      <p>
        <strong>{outcome.says}</strong>
      </p>
      {outcome.spared.length > 0 && (
        <section>
          <h3>Left alone</h3>
          <ul class="lines">
            {outcome.spared.map((each) => (
              <li key={each}>{each}</li>
            ))}
          </ul>
        </section>
      )}
    </div>
  );
}
