/** The actions that wait for a person, the oldest first, then those answered lately. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { api } from "../../api/client";
import type { ApprovalRow } from "../../api/types";
import { type KeyBinding, useKeys } from "../../frame/keys";
import { navigate } from "../../frame/router";
import { useLoaded } from "../../live/loaded";
import { usePages } from "../../live/pages";
import { readOnly } from "../../live/rights";
import { approvalsChanged, reloads } from "../../live/runs";
import { Ago, now } from "../../parts/Ago";
import { inputText } from "../../parts/actionText";
import { Empty } from "../../parts/Empty";
import { Mark } from "../../parts/Mark";
import { More } from "../../parts/More";
import { neighbour } from "../../parts/neighbour";
import { Split } from "../../parts/Split";
import type { PageProps } from "../table";
import { AnswerDialog } from "./AnswerDialog";
import { ApprovalDetail } from "./ApprovalDetail";
import { ANSWERS, type AnswerKind, whyNot } from "./answers";
import { EditDialog } from "./EditDialog";
import { type Standing, standingOf } from "./standing";
import { TimeLeft } from "./TimeLeft";
import "./approvals.css";

const MARKS: Record<Standing, { mark: string; tone: "green" | "red" | "dim" }> = {
  waiting: { mark: "▲", tone: "red" },
  approved: { mark: "✓", tone: "green" },
  denied: { mark: "✗", tone: "red" },
  expired: { mark: "○", tone: "dim" },
};

const PAGE = 100;

function pathOf(id: string): string {
  return `/approvals/${encodeURIComponent(id)}`;
}

export default function ApprovalsPage({ parameters }: PageProps) {
  const given = parameters.id ?? "";
  const { value, problem, again, more } = usePages(
    (cursor) => api.get("/approvals", { limit: PAGE, cursor }),
    [approvalsChanged.value, reloads.value],
  );
  const items = value?.items ?? [];
  const waiting = items.filter((each) => standingOf(each, now.peek()) === "waiting");
  const answered = items.filter((each) => !waiting.includes(each));
  // Stays the same while the person looks at it, even when it is answered or another one comes.
  const first = useSignal("");
  if (!first.peek() && waiting[0]) first.value = waiting[0].id;
  const id = given || first.value;
  useReloadAtEnd(waiting, again);

  const elsewhere = useElsewhere(given, value !== null && !items.some((each) => each.id === given));
  const shown = items.find((each) => each.id === id) ?? elsewhere.row;
  const asking = useSignal<AnswerKind | null>(null);

  function move(by: number): void {
    const next = neighbour([...waiting, ...answered], id, by);
    if (next) navigate(pathOf(next.id), { replace: Boolean(given) });
  }
  useKeys(
    {
      title: "Approvals",
      bindings: [
        ...ANSWERS.map(({ kind, key, label }): KeyBinding => {
          const why = () => (shown ? whyNot(kind, shown, now.peek()) : "Nothing waits.");
          return { key, says: label, whyNot: why(), run: () => !why() && (asking.value = kind) };
        }),
        { key: "j", says: "Next question", run: () => move(1) },
        { key: "k", says: "Question before", run: () => move(-1) },
      ],
    },
    [value, elsewhere.row, id, given, readOnly.value],
  );

  if (problem && !value) return <Empty title="The approvals could not be read.">{problem}</Empty>;
  if (!value) return <p class="loading">Reading the approvals …</p>;
  if (items.length === 0 && !given) {
    return (
      <Empty title="Nothing waits for you.">
        <p>An action that only a person may let through shows up here, with what it would do.</p>
      </Empty>
    );
  }
  const close = () => (asking.value = null);
  const done = () => {
    close();
    again();
  };
  return (
    <Split
      label="Approvals"
      back="/approvals"
      chosen={Boolean(given)}
      list={
        <>
          <h1>Approvals</h1>
          <p class="sr-only" role="status">
            {waiting.length} waiting
          </p>
          <Rows title="Waiting for you" items={waiting} chosen={id} />
          <Rows title="Answered" items={answered} chosen={id} />
          {value.next && <More onMore={more} />}
        </>
      }
    >
      {shown && <ApprovalDetail key={shown.id} row={shown} onAnswer={(kind) => (asking.value = kind)} onDone={done} />}
      {!shown && elsewhere.problem && <Empty title="There is no such approval.">{elsewhere.problem}</Empty>}
      {!shown && !given && <Empty title="Nothing waits for you." />}
      {shown && asking.value === "edit" && <EditDialog row={shown} onClose={close} onDone={done} />}
      {shown && asking.value && asking.value !== "edit" && (
        <AnswerDialog kind={asking.value} row={shown} onClose={close} onDone={done} />
      )}
    </Split>
  );
}

/** Asks again when the next question expires: nothing else happens at that moment. */
function useReloadAtEnd(waiting: readonly ApprovalRow[], again: () => void): void {
  const end = Math.min(...waiting.map((each) => each.until));
  useEffect(() => {
    if (!Number.isFinite(end)) return undefined;
    const timer = setTimeout(again, Math.max(0, end - Date.now() / 1000) * 1000 + 500);
    return () => clearTimeout(timer);
  }, [end]);
}

/** A question that is too old for the list. */
function useElsewhere(id: string, wanted: boolean): { row: ApprovalRow | null; problem: string } {
  const asked = wanted ? id : "";
  const { value, problem } = useLoaded(
    async () => (asked ? api.get("/approvals/{approval}", { approval: asked }) : null),
    [asked, approvalsChanged.value],
  );
  return { row: value?.id === id ? value : null, problem: asked ? problem : "" };
}

function Rows({ title, items, chosen }: { title: string; items: readonly ApprovalRow[]; chosen: string }) {
  if (items.length === 0) return null;
  return (
    <>
      <h2>
        {title} <span class="dim">{items.length}</span>
      </h2>
      <ul>
        {items.map((each) => {
          const state = standingOf(each, now.peek());
          return (
            <li key={each.id}>
              <a class="split-row" href={pathOf(each.id)} aria-current={each.id === chosen ? "true" : undefined}>
                <Mark {...MARKS[state]} />
                <strong class="cut">{each.run_name}</strong>
                <span class="split-row-side">{state === "waiting" ? <TimeLeft until={each.until} /> : state}</span>
                <code class="split-row-more cut">{inputText(each.input)}</code>
                <span class="split-row-more">{each.why}</span>
                {state === "waiting" && (
                  <span class="split-row-more">
                    asked <Ago at={each.asked} suffix=" ago" />
                  </span>
                )}
              </a>
            </li>
          );
        })}
      </ul>
    </>
  );
}
