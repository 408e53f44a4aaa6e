/** Short messages in the corner: what was done, and what went wrong. */
import { signal } from "@preact/signals";
import { ApiError, NoAnswerError } from "../api/client";

export interface Notice {
  id: number;
  tone: "green" | "red" | "";
  title: string;
  detail: string;
}

const SHOWN_MS = 6000;

export const notices = signal<readonly Notice[]>([]);
let last = 0;

export function dismiss(id: number): void {
  notices.value = notices.value.filter((each) => each.id !== id);
}

/** Shows a message; errors stay until somebody closes them. */
export function notify(title: string, detail = "", tone: Notice["tone"] = "green"): void {
  const id = ++last;
  const others = notices.value.filter((each) => each.title !== title || each.detail !== detail);
  notices.value = [...others.slice(-3), { id, tone, title, detail }];
  if (tone !== "red") setTimeout(() => dismiss(id), SHOWN_MS);
}

/** Shows why something did not work. A missing login and a dead daemon are shown elsewhere. */
export function notifyError(error: unknown): void {
  if (error instanceof NoAnswerError) return;
  if (error instanceof ApiError) {
    if (error.problem.status !== 401) notify(error.problem.title, error.problem.detail ?? "", "red");
  } else {
    notify(error instanceof Error ? error.message : String(error), "", "red");
  }
}
