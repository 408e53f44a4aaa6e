/** Approve once (by key), deny with a reason, or allow for good: shows what will happen, then asks. */
import { useSignal } from "@preact/signals";
import type { ApprovalDecision, ApprovalRow } from "../../api/types";
import { inputText } from "../../parts/actionText";
import { DialogForm } from "../../parts/DialogForm";
import { DiffView } from "../../parts/DiffView";
import { type AnswerKind, answer } from "./answers";

type Kind = Exclude<AnswerKind, "edit">;

interface Step {
  title: string;
  will: string;
  yes: string;
  decision: ApprovalDecision;
}

const STEPS: Record<Kind, Step> = {
  approve: {
    title: "Approve once",
    will: "Exactly this runs, once.",
    yes: "Yes, approve once",
    decision: { decision: "approve" },
  },
  deny: {
    title: "Deny",
    will: "It does not run. The agent reads your reason, and goes on with something else.",
    yes: "Deny it",
    decision: { decision: "deny" },
  },
  always: {
    title: "Always in this project",
    will: "Handrail writes this rule into your own settings, and asks nobody about such an action in this project again.",
    yes: "Yes, write the rule and approve",
    decision: { decision: "approve", always: true },
  },
};

interface AnswerDialogProps {
  kind: Kind;
  row: ApprovalRow;
  onClose: () => void;
  onDone: () => void;
}

export function AnswerDialog({ kind, row, onClose, onDone }: AnswerDialogProps) {
  const step = STEPS[kind];
  const reason = useSignal("");

  async function send(): Promise<void> {
    await answer(row, { ...step.decision, reason: reason.value.trim() });
    onDone();
  }

  return (
    <DialogForm
      title={`${step.title}: ${row.run_name}`}
      label={step.yes}
      danger={kind === "deny"}
      wide={kind === "always"}
      send={send}
      onClose={onClose}
    >
      <pre class="command" tabIndex={0}>
        {inputText(row.input)}
      </pre>
      <p>{step.will}</p>
      {kind === "always" && <DiffView diff={row.always} />}
      <label class="dialog-field">
        <span>
          {kind === "deny" ? "Reason, for the agent" : "Reason"} <span class="dim">(if you like)</span>
        </span>
        <input
          type="text"
          autofocus
          value={reason}
          onInput={(event) => (reason.value = event.currentTarget.value)}
        />
      </label>
    </DialogForm>
  );
}
