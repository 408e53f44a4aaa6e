/** What the agent of a task asks a person, and a form for each answer. */
import { useSignal } from "@preact/signals";
import { api } from "../../api/client";
import type { QuestionRow } from "../../api/types";
import { notify } from "../../frame/notices";
import { READ_ONLY, readOnly } from "../../live/rights";
import { Ago } from "../../parts/Ago";
import { useSending } from "../../parts/useSending";

interface QuestionsProps {
  fleet: string;
  task: string;
  questions: readonly QuestionRow[];
  onAnswered: () => void;
}

export function Questions({ fleet, task, questions, onAnswered }: QuestionsProps) {
  if (questions.length === 0) return null;
  return (
    <section class="record" aria-labelledby="task-questions">
      <h2 id="task-questions">Questions of its agent</h2>
      <ul class="record">
        {questions.map((each) => (
          <li key={each.number} class={each.needs_person ? "note note-yellow" : ""}>
            <div class="record">
              <p class="task-question">
                <strong>{each.text}</strong>
              </p>
              <p class="dim">
                asked <Ago at={each.asked} suffix=" ago" />
                {each.says && ` · ${each.says}`}
              </p>
              {each.answer && <p class="task-question">{each.answer}</p>}
              {each.needs_person &&
                (each.approval ? (
                  <a href={`/approvals/${encodeURIComponent(each.approval)}`}>Look at the action, and decide</a>
                ) : (
                  <AnswerForm fleet={fleet} task={task} question={each} onAnswered={onAnswered} />
                ))}
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}

interface AnswerFormProps {
  fleet: string;
  task: string;
  question: QuestionRow;
  onAnswered: () => void;
}

function AnswerForm({ fleet, task, question, onAnswered }: AnswerFormProps) {
  const text = useSignal("");
  const { busy, problem, send } = useSending();

  async function submit(event: Event): Promise<void> {
    event.preventDefault();
    await send(async () => {
      const given = { text: text.value.trim(), question: question.number };
      const result = await api.post("/fleets/{fleet}/tasks/{task}/answer", { fleet, task }, given);
      notify(result.says, "", result.ok ? "green" : "red");
      onAnswered();
    });
  }

  return (
    <form class="dialog-form" onSubmit={submit}>
      <label class="dialog-field">
        Your answer
        <textarea required value={text} onInput={(event) => (text.value = event.currentTarget.value)} />
      </label>
      <p role="alert" class="field-problem">
        {problem.value}
      </p>
      <div class="buttons">
        <button type="submit" class="button button-primary" disabled={busy.value || readOnly.value}>
          {busy.value ? "Sending …" : "Answer"}
        </button>
        {readOnly.value && <span class="dim">{READ_ONLY}</span>}
      </div>
    </form>
  );
}
