/** The tasks of a fleet: as a board or as a list. */
import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { useKeys } from "../../frame/keys";
import { navigate, place, setQuery } from "../../frame/router";
import { useFleets, useTasks } from "../../live/fleets";
import { READ_ONLY, readOnly } from "../../live/rights";
import { dollars, plural } from "../../parts/format";
import type { PageProps } from "../table";
import { COLUMNS, byStatus, matching } from "./board";
import { addressOfTask } from "./addresses";
import { TaskBoard } from "./TaskBoard";
import { TaskForm } from "./TaskForm";
import { TaskList } from "./TaskList";
import { TASK_COMMANDS, whyNotCommand } from "./taskCommands";
import { TaskDialogs, useTaskDialogs } from "./TaskDialogs";
import { moveTask } from "./moving";
import "./tasks.css";

const PHONE = "(max-width: 820px)";

export default function TasksPage({ parameters }: PageProps) {
  const fleet = parameters.id ?? "";
  const { query } = place.value;
  const { value: tasks, problem } = useTasks(fleet);
  const { value: fleets } = useFleets();
  const words = useSignal("");
  const chosen = useSignal("");
  const adding = useSignal(false);
  const dialogs = useTaskDialogs();
  const row = fleets?.find((each) => each.id === fleet);

  const view = query.get("view") || (matchMedia(PHONE).matches ? "list" : "board");
  const shown = useMemo(() => matching(tasks ?? [], words.value), [tasks, words.value]);
  const columns = useMemo(() => byStatus(shown), [shown]);
  const ordered = view === "list" ? shown : COLUMNS.flatMap((each) => columns[each.status]);
  const task = shown.find((each) => each.id === chosen.value);

  const whyNotAdd = readOnly.value ? READ_ONLY : "";
  const whyNot = (command: string) =>
    whyNotAdd || (task ? whyNotCommand(command, task) : "Choose a task first: j or k.");

  function step(by: number): void {
    const within = task && view === "board" ? columns[task.status] : ordered;
    const at = within.findIndex((each) => each.id === chosen.peek());
    const next = at < 0 ? ordered[0] : within[Math.max(0, Math.min(within.length - 1, at + by))];
    if (next) chosen.value = next.id;
  }

  function across(by: number): void {
    if (!task || view !== "board") return step(by);
    const filled = COLUMNS.filter((each) => columns[each.status].length > 0);
    const at = filled.findIndex((each) => each.status === task.status);
    const beside = filled[at + by];
    const from = columns[task.status].indexOf(task);
    const to = beside && columns[beside.status];
    const next = to?.[Math.min(from, to.length - 1)];
    if (next) chosen.value = next.id;
  }

  function nudge(by: number): void {
    if (!task) return;
    const column = columns.pending;
    const at = column.indexOf(task);
    if (at >= 0 && at + by >= 0 && at + by < column.length) moveTask(fleet, column, task.id, at + by);
  }

  const whyNotMove =
    whyNotAdd || (words.value ? "Clear the search first." : task?.status === "pending" ? "" : "Only a pending task moves.");
  useKeys(
    {
      title: "Tasks",
      bindings: [
        { key: "+", says: "Add a task", run: () => (adding.value = true), whyNot: whyNotAdd },
        { key: "j", also: "ArrowDown", says: "Next task", run: () => step(1) },
        { key: "k", also: "ArrowUp", says: "Task before", run: () => step(-1) },
        { key: "l", also: "ArrowRight", says: "Next column", run: () => across(1) },
        { key: "h", also: "ArrowLeft", says: "Column before", run: () => across(-1) },
        { key: "Enter", says: "Open the chosen task", run: () => task && navigate(addressOfTask(task)) },
        { key: ".", says: "All commands of the task", run: () => task && dialogs.openMenu(task) },
        { key: "K", says: "Move it up", run: () => nudge(-1), whyNot: whyNotMove },
        { key: "J", says: "Move it down", run: () => nudge(1), whyNot: whyNotMove },
        { key: "v", says: "Board or list", run: () => setQuery("view", view === "list" ? "board" : "list") },
        ...TASK_COMMANDS.map((each) => ({
          key: each.key,
          says: each.label,
          run: () => task && dialogs.open(task, each.command),
          whyNot: whyNot(each.command),
        })),
      ],
    },
    [tasks, shown, task, view, whyNotAdd],
  );

  return (
    <div class="tasks-page">
      <header class="tasks-head">
        <h1>
          <a class="crumb" href="/fleets">Fleet</a> <span class="dim">/</span> {row?.name ?? "Tasks"}
        </h1>
        {row && (
          <p class="dim tasks-says">
            {tasks && plural(tasks.length, "task")} · {dollars(row.cost_usd)}
            {row.budget_usd > 0 && ` of ${dollars(row.budget_usd)}`}
            {row.paused && <span class="tone-yellow"> · ‖ {row.paused}</span>}
          </p>
        )}
        <input
          type="search"
          aria-label="Search the tasks"
          placeholder="Search"
          value={words}
          onInput={(event) => (words.value = event.currentTarget.value)}
        />
        <div class="buttons" role="group" aria-label="View">
          {(["board", "list"] as const).map((each) => (
            <button
              key={each}
              type="button"
              class="button"
              aria-pressed={view === each}
              onClick={() => setQuery("view", each)}
            >
              {each === "board" ? "Board" : "List"}
            </button>
          ))}
        </div>
        <button
          type="button"
          class="button button-primary"
          aria-disabled={whyNotAdd ? "true" : undefined}
          title={whyNotAdd || "(+)"}
          onClick={() => !whyNotAdd && (adding.value = true)}
        >
          Add a task …
        </button>
      </header>
      {problem && (
        <p class="note note-red" role="alert">
          <span>{problem}</span>
        </p>
      )}
      {!tasks && !problem && <p class="loading">Reading the tasks …</p>}
      {tasks && view === "board" && (
        <TaskBoard
          fleet={fleet}
          columns={columns}
          whole={!words.value && !readOnly.value}
          chosen={chosen.value}
          onChoose={(id) => (chosen.value = id)}
          onMenu={dialogs.openMenu}
          onCommand={dialogs.open}
        />
      )}
      {tasks && view === "list" && (
        <TaskList tasks={shown} chosen={chosen.value} onChoose={(id) => (chosen.value = id)} onMenu={dialogs.openMenu} />
      )}
      {adding.value && <TaskForm fleet={fleet} tasks={tasks ?? []} onClose={() => (adding.value = false)} />}
      <TaskDialogs fleet={fleet} tasks={tasks ?? []} dialogs={dialogs} />
    </div>
  );
}
