/** How a question stands, and which part of its action a person may change. */
import type { ApprovalRow } from "../../api/types";
import { span } from "../../parts/format";

export type Standing = ApprovalRow["state"];

/** Returns how a question stands now: its time may be over before anybody says so. */
export function standingOf(row: ApprovalRow, now: number): Standing {
  return row.state === "waiting" && row.until <= now ? "expired" : row.state;
}

const EXACT_BELOW = 120;

/** "18 min left", and near the end every second. */
export function timeLeft(until: number, now: number): string {
  const left = Math.max(0, until - now);
  if (left <= 0) return "no time left";
  return left < EXACT_BELOW ? `${Math.ceil(left)} s left` : `${span(left)} left`;
}

/** Returns the texts of an input that a person may change, by name: the command, if it has one. */
export function editableTexts(input: Record<string, unknown>): [name: string, text: string][] {
  const texts = Object.entries(input).filter((each): each is [string, string] => typeof each[1] === "string");
  const commands = texts.filter(([name]) => name === "command" || name === "cmd");
  return commands.length > 0 ? commands : texts;
}

/** Returns the values that differ from those of the action. */
export function editsOf(input: Record<string, unknown>, texts: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(texts).filter(([name, text]) => input[name] !== text));
}
