/** One command to all runs and fleets: pause, resume or stop; then how each of them took it. */
import { useSignal } from "@preact/signals";
import { useEffect, useId, useRef } from "preact/hooks";
import { api } from "../api/client";
import type { FleetCommandRequest, RequestList, RequestProgress } from "../api/types";
import { problemText } from "../live/loaded";
import { READ_ONLY, readOnly } from "../live/rights";
import { runs, sections } from "../live/runs";
import { Dialog } from "../parts/Dialog";
import { DialogForm } from "../parts/DialogForm";
import { plural } from "../parts/format";
import { Mark } from "../parts/Mark";

interface AllRunsCommand {
  command: FleetCommandRequest["command"];
  key: string;
  label: string;
  will: string;
  danger?: boolean;
}

export const ALL_RUNS: readonly AllRunsCommand[] = [
  {
    command: "pause",
    key: "a p",
    label: "Pause all runs",
    will: "Every run finishes its current action, then waits. Fleets begin no new task.",
  },
  {
    command: "resume",
    key: "a r",
    label: "Resume all runs",
    will: "Every paused run continues, and fleets begin tasks again.",
  },
  {
    command: "stop",
    key: "a x",
    label: "Stop all runs",
    will: "Handrail saves the files of every run and ends all its processes. You can resume them later.",
    danger: true,
  },
];

const WAIT_SECONDS = 20;
const LONGEST_MS = 180_000;

const STAGES = {
  requested: { mark: "·", tone: "dim", says: "requested …" },
  acknowledged: { mark: "…", tone: "yellow", says: "acknowledged …" },
  confirmed: { mark: "✓", tone: "green", says: "confirmed" },
  refused: { mark: "✗", tone: "red", says: "refused" },
} as const;

function isOver(progress: RequestProgress): boolean {
  return progress.stage === "confirmed" || progress.stage === "refused";
}

export function AllRunsDialog({ command, onClose }: { command: AllRunsCommand; onClose: () => void }) {
  const at = useSignal<"action" | "iteration">("action");
  const reason = useSignal("");
  const problem = useSignal("");
  const answer = useSignal<RequestList | null>(null);
  const open = useRef(true);
  const name = useId();
  useEffect(() => () => void (open.current = false), []);

  const { needs, working, paused } = sections.value;
  const reached = command.command === "resume" ? paused.length : needs.length + working.length + paused.length;

  async function follow(progress: RequestProgress, until: number): Promise<void> {
    let now = progress;
    while (open.current && !isOver(now) && performance.now() < until) {
      now = await api.get("/requests/{request}", { request: now.request_id, wait: WAIT_SECONDS });
      const list = answer.peek();
      if (!list) return;
      const items = list.items.map((each) => (each.request_id === now.request_id ? now : each));
      answer.value = { ...list, items };
    }
  }

  async function send(): Promise<void> {
    const order = { command: command.command, at: at.value, reason: reason.value.trim() };
    const list = await api.post("/commands", {}, order);
    answer.value = list;
    const until = performance.now() + LONGEST_MS;
    Promise.all(list.items.map((each) => follow(each, until))).catch(
      (error: unknown) => (problem.value = problemText(error)),
    );
  }

  if (answer.value) {
    return (
      <Dialog title={command.label} onClose={onClose}>
        <Progress list={answer.value} />
        <p role="alert" class="field-problem">
          {problem.value}
        </p>
        <div class="dialog-foot">
          <button type="button" class="button" autofocus onClick={onClose}>
            Close
          </button>
        </div>
      </Dialog>
    );
  }
  return (
    <DialogForm
      title={command.label}
      label={command.label}
      danger={command.danger ?? false}
      disabled={readOnly.value}
      confirm={command.danger ? `All processes of ${plural(reached, "run")} end.` : ""}
      send={send}
      onClose={onClose}
    >
      <p>
        {command.will} <span class="dim">About {plural(reached, "run")}.</span>
      </p>
      {command.command === "pause" && (
        <fieldset class="dialog-choices">
          <legend class="sr-only">When</legend>
          {(["action", "iteration"] as const).map((each) => (
            <label key={each}>
              <input type="radio" name={name} checked={at.value === each} onChange={() => (at.value = each)} />{" "}
              {each === "action" ? "before the next action" : "fleets after this iteration, other runs before the next action"}
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
          autofocus
          value={reason}
          onInput={(event) => (reason.value = event.currentTarget.value)}
        />
      </label>
      {readOnly.value && <p class="dim">{READ_ONLY}</p>}
    </DialogForm>
  );
}

function Progress({ list }: { list: RequestList }) {
  const nameOf = (run: string) => runs.value.get(run)?.name ?? run.slice(0, 8);
  const done = list.items.filter((each) => each.stage === "confirmed").length;
  return (
    <div class="record">
      <p role="status">
        {list.items.length ? `${done} of ${plural(list.items.length, "run")} confirmed.` : "No run takes it now."}
        {list.fleets.length > 0 && ` Fleets told: ${list.fleets.join(", ")}.`}
      </p>
      <ul class="lines">
        {list.items.map((each) => {
          const stage = STAGES[each.stage];
          return (
            <li key={each.request_id}>
              <Mark mark={stage.mark} tone={stage.tone} /> <strong>{nameOf(each.run)}</strong> {stage.says}{" "}
              <span class="dim">{[each.says, ...each.evidence].filter(Boolean).join("; ")}</span>
            </li>
          );
        })}
        {list.left_out.map((each) => (
          <li key={each.run}>
            <Mark mark="○" tone="dim" /> <strong>{nameOf(each.run)}</strong> left out{" "}
            <span class="dim">{each.why}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}
