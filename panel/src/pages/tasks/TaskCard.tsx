/** One task on the board. */
import type { TaskRow } from "../../api/types";
import { Icon } from "../../parts/Icon";
import { Mark } from "../../parts/Mark";
import { dollars } from "../../parts/format";
import { addressOfTask } from "./addresses";

interface TaskCardProps {
  task: TaskRow;
  chosen: boolean;
  /** What a drop here means now. */
  drop: "" | "before" | "after" | "onto";
  onChoose: () => void;
  onMenu: () => void;
}

/** Returns the small facts of a task, the important ones first. */
export function factsOf(task: TaskRow): string[] {
  return [
    task.iteration > 0 ? `it ${task.iteration}` : "",
    task.attempt > 1 ? `attempt ${task.attempt}` : "",
    task.priority !== 0 ? `priority ${task.priority}` : "",
    task.cost_usd > 0 ? dollars(task.cost_usd) : "",
    task.merge_says,
  ].filter(Boolean);
}

export function TaskCard({ task, chosen, drop, onChoose, onMenu }: TaskCardProps) {
  const classes = ["task-card card", chosen && "task-chosen", drop && `task-drop-${drop}`];
  const why = task.why && `: ${task.why}`;
  return (
    <article class={classes.filter(Boolean).join(" ")} onClick={onChoose}>
      <a class="task-title" href={addressOfTask(task)} title={task.label} draggable={false} onFocus={onChoose}>
        {task.label || task.id}
      </a>
      <button type="button" class="icon-button" aria-label={`Commands of ${task.id}`} title="(.)" onClick={onMenu}>
        <Icon name="menu" />
      </button>
      <p class="task-state cut" title={task.state + why}>
        <Mark mark={task.mark} tone={task.tone} />
        <span class={`tone-${task.tone || "plain"}`}>{task.state}</span>
        <span class="dim">{why}</span>
      </p>
      <p class="task-facts cut dim">
        <code>{task.id}</code>
        {factsOf(task).map((each) => ` · ${each}`)}
      </p>
    </article>
  );
}
