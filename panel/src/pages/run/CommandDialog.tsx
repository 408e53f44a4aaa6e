/** Asks for the text, the choice and the reason of a command; destructive ones take a second step. */
import { useSignal } from "@preact/signals";
import { useId } from "preact/hooks";
import type { RunRow } from "../../api/types";
import { DialogForm } from "../../parts/DialogForm";
import type { CommandButton } from "./commands";
import { command } from "./requests";

interface CommandDialogProps {
  run: RunRow;
  button: CommandButton;
  /** The values of its choice that the run takes, the default first. */
  choices: readonly string[];
  onClose: () => void;
}

export function CommandDialog({ run, button, choices, onClose }: CommandDialogProps) {
  const text = useSignal("");
  const choice = useSignal(choices[0] ?? "");
  const reason = useSignal("");
  const name = useId();
  const will = button.will.replace("{name}", run.name);

  async function send(): Promise<void> {
    const given = { text: text.value.trim(), choice: choice.value, reason: reason.value.trim() };
    void command(run.id, { command: button.command, ...given });
    onClose();
  }

  return (
    <DialogForm
      title={`${button.label}: ${run.name}`}
      label={button.label}
      danger={button.danger ?? false}
      confirm={button.confirm ? will : ""}
      send={send}
      onClose={onClose}
    >
      <p>{will}</p>
      {button.asks && (
        <label class="dialog-field">
          {button.asks}
          <textarea
            required
            autofocus
            value={text}
            onInput={(event) => (text.value = event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) event.currentTarget.form?.requestSubmit();
            }}
          />
        </label>
      )}
      {button.choice && choices.length > 1 && (
        <fieldset class="dialog-choices">
          <legend class="sr-only">{button.choice.title}</legend>
          {choices.map((each) => (
            <label key={each}>
              <input type="radio" name={name} checked={choice.value === each} onChange={() => (choice.value = each)} />{" "}
              {button.choice?.labels[each] ?? each}
            </label>
          ))}
        </fieldset>
      )}
      <label class="dialog-field">
        <span>
          Reason <span class="dim">(people who look at it later see it)</span>
        </span>
        <input
          type="text"
          autofocus={!button.asks}
          value={reason}
          onInput={(event) => (reason.value = event.currentTarget.value)}
        />
      </label>
    </DialogForm>
  );
}
