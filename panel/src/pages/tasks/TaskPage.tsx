/** One task: what it asks for, how it stands, what was done about it, and what a person may decide. */
import { useKeys } from "../../frame/keys";
import { api } from "../../api/client";
import type { TaskDetail } from "../../api/types";
import { tellsOf, useFrames, useSparing, useTasks } from "../../live/fleets";
import { useLoaded } from "../../live/loaded";
import { READ_ONLY, readOnly } from "../../live/rights";
import { reloads } from "../../live/runs";
import { Ago } from "../../parts/Ago";
import { Empty } from "../../parts/Empty";
import { Fact, Facts } from "../../parts/Facts";
import { clock, dollars, short } from "../../parts/format";
import { Mark } from "../../parts/Mark";
import type { PageProps } from "../table";
import { addressOfTask, addressOfTasks } from "./addresses";
import { LIMITS } from "./draft";
import { Questions } from "./Questions";
import { RecoveryContext } from "./RecoveryContext";
import { TASK_COMMANDS, whyNotCommand } from "./taskCommands";
import { TaskDialogs, useTaskDialogs } from "./TaskDialogs";
import "./tasks.css";

export default function TaskPage({ parameters }: PageProps) {
  const fleet = parameters.fleet ?? "";
  const id = parameters.id ?? "";
  const { value, problem, again } = useLoaded(
    () => api.get("/fleets/{fleet}/tasks/{task}", { fleet, task: id }),
    [fleet, id, reloads.value],
  );
  const soon = useSparing(again);
  useFrames((came) => {
    if (tellsOf(fleet, came)) soon();
  });
  if (value) return <Whole fleet={fleet} detail={value} problem={problem} onAnswered={again} />;
  if (!problem) return <p class="loading">Reading the task …</p>;
  return (
    <Empty title={problem}>
      <a href={addressOfTasks(fleet)}>Show all tasks of the fleet</a>
    </Empty>
  );
}

interface WholeProps {
  fleet: string;
  detail: TaskDetail;
  problem: string;
  onAnswered: () => void;
}

function Whole({ fleet, detail, problem, onAnswered }: WholeProps) {
  const { row } = detail;
  const { value: tasks } = useTasks(fleet);
  const dialogs = useTaskDialogs();
  const commands = TASK_COMMANDS.map((each) => ({
    ...each,
    whyNot: readOnly.value ? READ_ONLY : whyNotCommand(each.command, row),
    run: () => dialogs.open(row, each.command),
  }));
  useKeys(
    {
      title: `Task ${row.id}`,
      bindings: commands.map((each) => ({ key: each.key, says: each.label, run: each.run, whyNot: each.whyNot })),
    },
    [row, readOnly.value],
  );
  const limits = LIMITS.filter((each) => detail.limits[each.name]).map(
    (each) => `${each.label}: ${detail.limits[each.name]}`,
  );
  return (
    <div class="page record">
      <header class="record-head">
        <p>
          <a class="crumb" href={addressOfTasks(fleet)}>Tasks</a> <span class="dim">/ {row.id}</span>
        </p>
        <h1>{row.label || row.id}</h1>
        <p class="record-state">
          <span class={`tone-${row.tone || "plain"}`}>
            <Mark mark={row.mark} tone={row.tone} />
            {row.state}
          </span>
          {row.why && <span>{row.why}</span>}
          {row.since > 0 && (
            <span>
              for <Ago at={row.since} />
            </span>
          )}
        </p>
        <div class="buttons task-buttons" role="group" aria-label="Commands of this task">
          {commands.map((each) => (
            <button
              key={each.command}
              type="button"
              class={each.danger ? "button button-danger" : "button"}
              aria-disabled={each.whyNot ? "true" : undefined}
              title={each.whyNot || `(${each.key})`}
              onClick={() => !each.whyNot && each.run()}
            >
              {each.label} …
            </button>
          ))}
        </div>
      </header>
      {problem && (
        <p class="note note-red" role="alert">
          <span>{problem}</span>
        </p>
      )}
      <div class="task-parts">
        <div class="record">
          <Questions fleet={fleet} task={row.id} questions={detail.questions} onAnswered={onAnswered} />
          <section class="record" aria-labelledby="task-prompt">
            <h2 id="task-prompt">What it asks for</h2>
            <pre class="task-prompt">{detail.prompt}</pre>
          </section>
          <section class="record" aria-labelledby="task-history">
            <h2 id="task-history">History</h2>
            <History detail={detail} />
          </section>
        </div>
        <div class="record">
          <Facts>
            <Fact name="Run">{row.run && <a href={`/runs/${encodeURIComponent(row.run)}`}>Show its last run</a>}</Fact>
            <Fact name="Slot">{row.slot > 0 && String(row.slot)}</Fact>
            <Fact name="Attempt">
              {row.attempt > 0 && `${row.attempt}${row.iteration ? `, iteration ${row.iteration}` : ""}`}
            </Fact>
            <Fact name="Cost">
              {(row.cost_usd > 0 || row.tokens > 0) && `${dollars(row.cost_usd)} · ${short(row.tokens)} tokens`}
            </Fact>
            <Fact name="Priority">{String(row.priority)}</Fact>
            <Fact name="Branch">{row.branch && <code>{row.branch}</code>}</Fact>
            <Fact name="Workspace">{row.workspace && <code>{row.workspace}</code>}</Fact>
            <Fact name="Merge">{row.merge && (row.merge_says || row.merge)}</Fact>
            <Fact name="After">
              {row.depends_on.length > 0 &&
                row.depends_on.map((each) => (
                  <span key={each}>
                    <a href={addressOfTask({ fleet, id: each })}>{each}</a>{" "}
                  </span>
                ))}
            </Fact>
            <Fact name="Verified by">{detail.verify && <code>{detail.verify}</code>}</Fact>
            <Fact name="May change">{detail.scope.join(", ")}</Fact>
            <Fact name="Model">{detail.model}</Fact>
            <Fact name="Agent">{detail.host}</Fact>
            <Fact name="Limits">{limits.join(", ")}</Fact>
          </Facts>
          {row.status !== "done" && (
            <section class="record" aria-labelledby="task-recovery">
              <h2 id="task-recovery">What the next agent is told</h2>
              <RecoveryContext context={detail.recovery_context} />
            </section>
          )}
        </div>
      </div>
      <TaskDialogs fleet={fleet} tasks={tasks ?? []} dialogs={dialogs} />
    </div>
  );
}

function History({ detail }: { detail: TaskDetail }) {
  if (detail.audit.length === 0) return <p class="dim">Nothing has happened yet.</p>;
  return (
    <ol class="task-history">
      {detail.audit.map((each, index) => (
        <li key={index}>
          <time class="dim" dateTime={new Date(each.at * 1000).toISOString()}>
            {clock(each.at)}
          </time>
          <span class="dim">{each.attempt > 0 && `attempt ${each.attempt}`}</span>
          <span class={`tone-${each.tone || "plain"}`}>{each.says}</span>
        </li>
      ))}
    </ol>
  );
}
