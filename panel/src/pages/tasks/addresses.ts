/** Where fleets and tasks are shown. */

/** Returns the address of a fleet's tasks. */
export function addressOfTasks(fleet: string): string {
  return `/fleets/${encodeURIComponent(fleet)}/tasks`;
}

/** Returns the address of a task's page. */
export function addressOfTask(task: { fleet: string; id: string }): string {
  return `${addressOfTasks(task.fleet)}/${encodeURIComponent(task.id)}`;
}
