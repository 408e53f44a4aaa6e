/** How a fleet stands, in signs and shares. */
import type { FleetRow, Tone } from "../../api/types";

/** The sign of each state of a task, as in `handrail watch`. */
const SIGNS: Readonly<Record<string, { mark: string; tone: Tone }>> = {
  "needs you": { mark: "▲", tone: "red" },
  failed: { mark: "✗", tone: "red" },
  "cannot start": { mark: "✗", tone: "yellow" },
  stopped: { mark: "‖", tone: "yellow" },
  working: { mark: "●", tone: "green" },
  ready: { mark: "·", tone: "dim" },
  waiting: { mark: "◇", tone: "dim" },
  done: { mark: "✓", tone: "green" },
  merged: { mark: "✓", tone: "dim" },
};

/** Returns the sign of a state; an unknown one gets a plain dot. */
export function signOf(state: string): { mark: string; tone: Tone } {
  return SIGNS[state] ?? { mark: "·", tone: "" };
}

/** Returns how much of a budget is spent, or null without a budget. */
export function shareOf(cost: number, budget: number): number | null {
  return budget > 0 ? cost / budget : null;
}

/** Returns how many slots nobody uses; a fleet without a scheduler has none. */
export function freeSlots(fleet: FleetRow): number {
  return Math.max(0, fleet.slot_count - fleet.slots.length);
}
