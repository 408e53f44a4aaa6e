/** One question with everything that a person needs to answer it. */
import { useComputed, useSignal } from "@preact/signals";
import type { ApprovalRow } from "../../api/types";
import { notifyError } from "../../frame/notices";
import { Ago, now } from "../../parts/Ago";
import { factorLine, inputText } from "../../parts/actionText";
import { WordDiff } from "../../parts/DiffView";
import { Fact, Facts } from "../../parts/Facts";
import { MarkdownLine } from "../../parts/Markdown";
import { CommandParts, EffectList, RiskNote } from "../../parts/Understood";
import { ANSWERS, type AnswerKind, answer, whyNot } from "./answers";
import { type Standing, standingOf } from "./standing";
import { TimeLeft } from "./TimeLeft";

interface ApprovalDetailProps {
  row: ApprovalRow;
  /** Opens the dialog of an answer. */
  onAnswer: (kind: AnswerKind) => void;
  onDone: () => void;
}

export function ApprovalDetail({ row, onAnswer, onDone }: ApprovalDetailProps) {
  const clocked = useComputed(() => now.value >= row.until);
  const state = row.state === "waiting" && clocked.value ? "expired" : standingOf(row, now.peek());
  const isOpen = state === "waiting";
  return (
    <article class="record">
      <header class="record-head">
        <h1>
          <a href={`/runs/${encodeURIComponent(row.run)}`}>{row.run_name}</a>{" "}
          {row.editable ? "wants to run this" : `wants to use ${row.tool || "a tool"}`}
        </h1>
        <p class="record-state">
          <span>
            asked <Ago at={row.asked} suffix=" ago" />
          </span>
          {isOpen && <TimeLeft until={row.until} />}
          <RiskNote risk={row.risk} severity={row.severity} />
          <span>id {row.id}</span>
        </p>
      </header>
      <Answered row={row} state={state} />
      <pre class="command approval-command" tabIndex={0}>
        {inputText(row.input)}
      </pre>
      <Facts>
        <Fact name="Why you are asked">{row.why}</Fact>
        <Fact name="It would">{row.would}</Fact>
        <Fact name="Tests">{row.tests}</Fact>
        <Fact name="If nobody answers">{isOpen && "It does not run, and the agent is told so."}</Fact>
      </Facts>
      {isOpen && <Answers row={row} onAnswer={onAnswer} onDone={onDone} />}
      <Understanding row={row} />
      <Facts>
        <Fact name="Goal">{row.goal}</Fact>
        <Fact name="In">
          <code>{row.cwd}</code>
        </Fact>
        <Fact name="Kinds">{row.kinds.join(", ").replaceAll("_", " ")}</Fact>
      </Facts>
    </article>
  );
}

function outcomeOf(row: ApprovalRow, state: Standing): { says: string; tone: string } {
  const by = row.by || "somebody";
  switch (state) {
    case "waiting":
      return { says: "", tone: "" };
    case "approved":
      return { says: `✓ Approved by ${by}`, tone: "green" };
    case "denied":
      return { says: `✗ Denied by ${by}`, tone: "red" };
    case "expired":
      return { says: "○ Expired: nobody answered in time.", tone: "yellow" };
  }
}

function Answered({ row, state }: { row: ApprovalRow; state: Standing }) {
  const { says, tone } = outcomeOf(row, state);
  return (
    <div role="status" class={says ? `note note-${tone}` : "sr-only"}>
      {says && (
        <p>
          <strong>{says}</strong>
          {row.reason && `: “${row.reason}”`}
        </p>
      )}
      {says && row.edited && (
        <>
          <p>{row.edited_says || "Another command ran instead:"}</p>
          <WordDiff before={inputText(row.input)} after={inputText({ ...row.input, ...row.edited })} />
        </>
      )}
    </div>
  );
}

function Answers({ row, onAnswer, onDone }: ApprovalDetailProps) {
  const busy = useSignal(false);

  async function approve(): Promise<void> {
    busy.value = true;
    try {
      await answer(row, { decision: "approve" });
    } catch (error) {
      notifyError(error);
    } finally {
      busy.value = false;
      onDone();
    }
  }

  return (
    <div class="buttons approval-answers" role="group" aria-label="Your answer">
      {ANSWERS.map(({ kind, label, key }) => {
        const why = busy.value ? "Your answer is on its way." : whyNot(kind, row, now.peek());
        return (
          <button
            key={kind}
            type="button"
            class={kind === "approve" ? "button button-primary" : kind === "deny" ? "button button-danger" : "button"}
            aria-disabled={why ? "true" : undefined}
            title={why || `${label} (${key})`}
            onClick={() => {
              if (why) return;
              // The button says all of it. A key is pressed by accident more easily: it opens a dialog first.
              if (kind === "approve") void approve();
              else onAnswer(kind);
            }}
          >
            {label} <kbd aria-hidden="true">{key}</kbd>
          </button>
        );
      })}
    </div>
  );
}

function Understanding({ row }: { row: ApprovalRow }) {
  return (
    <>
      {row.parts.length > 0 && (
        <section class="approval-part">
          <h2>As Handrail understands it</h2>
          <CommandParts parts={row.parts} />
        </section>
      )}
      {row.effects.length > 0 && (
        <section class="approval-part">
          <h2>Effects</h2>
          <EffectList effects={row.effects} />
          {row.factors.length > 0 && <p class="dim">Risk: {factorLine(row.factors)}</p>}
        </section>
      )}
      {row.rewritten && (
        <section class="approval-part">
          <h2>Handrail would run instead</h2>
          <WordDiff before={inputText(row.input)} after={inputText(row.rewritten)} />
          {row.changes.map((each) => (
            <p key={each}>~ {each}</p>
          ))}
        </section>
      )}
      {row.alternative && (
        <section class="approval-part">
          <h2>Another way</h2>
          <p>
            <MarkdownLine text={row.alternative} />
          </p>
        </section>
      )}
    </>
  );
}
