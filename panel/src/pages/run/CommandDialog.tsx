/** Asks for the text, the choice and the reason of a command; destructive ones take a second step. */
import { useSignal } from "@preact/signals";
import { useId } from "preact/hooks";
import type { RunRow } from "../../api/types";
import { Dialog } from "../../parts/Dialog";
import type { CommandButton } from "./commands";
import { command } from "./requests";

interface CommandDialogProps {
  run: RunRow;
  button: CommandButton;
  onClose: () => void;
}

export function CommandDialog({ run, button, onClose }: CommandDialogProps) {
  const text = useSignal("");
  const choice = useSignal(button.choices?.[0]?.value ?? "");
  const reason = useSignal("");
  const sure = useSignal(false);
  const name = useId();

  function submit(event: Event): void {
    event.preventDefault();
    if (button.confirm && !sure.value) {
      sure.value = true;
      return;
    }
    void command(run.id, {
      command: button.command,
      text: text.value.trim(),
      choice: choice.value,
      reason: reason.value.trim(),
    });
    onClose();
  }

  return (
    <Dialog title={`${button.label}: ${run.name}`} onClose={onClose}>
      <form class="form" onSubmit={submit}>
        <p>{button.will.replace("{name}", run.name)}</p>
        {button.asks && (
          <label>
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
        {button.choices && (
          <fieldset class="choices">
            <legend class="sr-only">When</legend>
            {button.choices.map((each) => (
              <label key={each.value}>
                <input
                  type="radio"
                  name={name}
                  checked={choice.value === each.value}
                  onChange={() => (choice.value = each.value)}
                />{" "}
                {each.label}
              </label>
            ))}
          </fieldset>
        )}
        <label>
          Reason <span class="dim">(people who look at it later see it)</span>
          <input
            type="text"
            autofocus={!button.asks}
            value={reason}
            onInput={(event) => (reason.value = event.currentTarget.value)}
          />
        </label>
        {sure.value && (
          <p class="sure" role="alert">
            Are you sure? Once more, and it is done.
          </p>
        )}
        <div class="dialog-foot">
          <button type="button" class="button" onClick={onClose}>
            Leave it
          </button>
          <button type="submit" class={button.danger ? "button button-danger" : "button button-primary"}>
            {sure.value ? `Yes: ${button.label}` : button.label}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
