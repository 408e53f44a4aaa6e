/** The tasks in one list, the most urgent first. */
import type { TaskRow } from "../../api/types";
import { Ago } from "../../parts/Ago";
import { Empty } from "../../parts/Empty";
import { Icon } from "../../parts/Icon";
import { Mark } from "../../parts/Mark";
import { VirtualList } from "../../parts/VirtualList";
import { addressOfTask } from "./addresses";
import { factsOf } from "./TaskCard";

const ROW = 46;

interface TaskListProps {
  tasks: readonly TaskRow[];
  chosen: string;
  onChoose: (id: string) => void;
  onMenu: (task: TaskRow) => void;
}

export function TaskList({ tasks, chosen, onChoose, onMenu }: TaskListProps) {
  if (tasks.length === 0) return <Empty title="No tasks here." />;
  return (
    <div class="task-list">
      <VirtualList
        items={tasks}
        keyOf={(task) => task.id}
        height={ROW}
        label="Tasks"
        chosen={tasks.findIndex((each) => each.id === chosen)}
      >
        {(task) => (
          <div class={task.id === chosen ? "task-line task-chosen" : "task-line"} onClick={() => onChoose(task.id)}>
            <Mark mark={task.mark} tone={task.tone} />
            <a class="task-title cut" href={addressOfTask(task)} title={task.label} onFocus={() => onChoose(task.id)}>
              {task.label || task.id}
            </a>
            <span class="task-line-side dim">
              <Ago at={task.since} />
            </span>
            <span class="task-line-more cut">
              <span class={`tone-${task.tone || "plain"}`}>{task.state}</span>
              <span class="dim">
                {task.why && `: ${task.why}`} · <code>{task.id}</code>
                {factsOf(task).map((each) => ` · ${each}`)}
              </span>
            </span>
            <button
              type="button"
              class="icon-button"
              aria-label={`Commands of ${task.id}`}
              title="(.)"
              onClick={() => onMenu(task)}
            >
              <Icon name="menu" />
            </button>
          </div>
        )}
      </VirtualList>
    </div>
  );
}
