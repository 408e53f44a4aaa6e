/** The controls of a run: always in the same place, grey with the reason when they cannot be used. */
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { CommandState, RunDetail } from "../../api/types";
import { useKeys } from "../../frame/keys";
import { notify } from "../../frame/notices";
import { navigate } from "../../frame/router";
import { READ_ONLY, readOnly } from "../../live/rights";
import { CommandDialog } from "./CommandDialog";
import { COMMANDS, type CommandButton } from "./commands";
import { command } from "./requests";
import { RequestState } from "./RequestState";

const READING = "The run is still being read.";

export function Controls({ id, detail }: { id: string; detail: RunDetail | null }) {
  const asking = useSignal<CommandButton | null>(null);
  const states = new Map<string, CommandState>(detail?.commands.map((each) => [each.command, each]));
  const shown = COMMANDS.filter((each) => (!detail || states.has(each.command)) && (!each.ofTask || detail?.row.task));

  function whyNot(button: CommandButton): string {
    if (readOnly.value) return READ_ONLY;
    const state = states.get(button.command);
    if (!state) return READING;
    return state.allowed ? "" : state.why_not || "not possible now";
  }

  /** Pressed before the run was read: it counts as soon as that is done. */
  const early = useRef<CommandButton | null>(null);
  useEffect(() => {
    const pressed = early.current;
    if (!detail || !pressed) return;
    early.current = null;
    press(pressed);
  }, [detail]);

  function press(button: CommandButton): void {
    const why = whyNot(button);
    if (why === READING) early.current = button;
    // On a touch screen nothing hovers: this is where the reason is read.
    else if (why) notify(why, button.label, "");
    else if (button.atOnce) void command(id, { command: button.command });
    else asking.value = button;
  }

  const toCheckpoints = () => navigate(`/checkpoints?run=${encodeURIComponent(id)}`);
  useKeys(
    {
      title: "This run",
      bindings: [
        ...shown.map((each) => ({ key: each.key, says: each.label, run: () => press(each), whyNot: detail ? whyNot(each) : "" })),
        { key: "u", says: "Undo: its checkpoints", run: toCheckpoints },
      ],
    },
    [id, detail, readOnly.value],
  );

  return (
    <div class="controls">
      <RequestState run={id} />
      <div class="buttons" role="group" aria-label="Controls of this run">
        {shown
          .filter((each) => each.first)
          .map((each) => (
            <ControlButton key={each.command} button={each} whyNot={whyNot(each)} onPress={press} />
          ))}
        <More>
          {shown
            .filter((each) => !each.first)
            .map((each) => (
              <ControlButton key={each.command} button={each} whyNot={whyNot(each)} onPress={press} />
            ))}
          <button type="button" class="button" title="(u)" onClick={toCheckpoints}>
            Undo, roll back …
          </button>
          <a class="button" href={`/api/v1/runs/${encodeURIComponent(id)}/export`} download={`${id}.html`}>
            Export as a page
          </a>
        </More>
      </div>
      {asking.value && detail && (
        <CommandDialog
          run={detail.row}
          button={asking.value}
          choices={states.get(asking.value.command)?.choices ?? []}
          onClose={() => (asking.value = null)}
        />
      )}
    </div>
  );
}

interface ControlButtonProps {
  button: CommandButton;
  whyNot: string;
  onPress: (button: CommandButton) => void;
}

/** Not `disabled`: people must be able to reach it and read why it cannot be used. */
function ControlButton({ button, whyNot, onPress }: ControlButtonProps) {
  return (
    <button
      type="button"
      class={button.danger ? "button button-danger" : "button"}
      aria-disabled={whyNot ? "true" : undefined}
      title={whyNot || `${button.label} (${button.key})`}
      onClick={() => onPress(button)}
    >
      {button.label}
    </button>
  );
}

/** The menu of the other controls; a click outside, Escape, or a choice closes it. */
function More({ children }: { children: ComponentChildren }) {
  const element = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    const close = (event: Event) => {
      const menu = element.current;
      if (!menu?.open) return;
      const escape = event instanceof KeyboardEvent && event.key === "Escape";
      const inside = event.target instanceof Node && menu.contains(event.target);
      if (escape) menu.querySelector("summary")?.focus();
      if (escape || (event.type === "click" && !inside)) menu.open = false;
    };
    document.addEventListener("click", close);
    document.addEventListener("keydown", close);
    return () => {
      document.removeEventListener("click", close);
      document.removeEventListener("keydown", close);
    };
  }, []);
  return (
    <details ref={element} class="more">
      <summary class="button">More</summary>
      <div
        class="more-menu card"
        onClick={(event) => {
          const chosen = (event.target as Element).closest("button:not([aria-disabled]), a");
          if (chosen && element.current) element.current.open = false;
        }}
      >
        {children}
      </div>
    </details>
  );
}
