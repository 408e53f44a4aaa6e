/** The commands of a run as buttons: the same words, keys and consequences as in `handrail watch`. */

export interface CommandButton {
  command: string;
  label: string;
  /** The key in `handrail watch`. */
  key: string;
  /** What will happen; `{name}` is the run. */
  will: string;
  /** The question for its text; without one it takes none. */
  asks?: string;
  /** Its choice, by value; the daemon says which of them a run takes. */
  choice?: { title: string; labels: Readonly<Record<string, string>> };
  /** A person agrees in a second step. */
  confirm?: boolean;
  danger?: boolean;
  /** Sent at once, without a dialog. */
  atOnce?: boolean;
  /** In the row of buttons; the others are in the menu beside it. */
  first?: boolean;
  /** Only for runs of a fleet. */
  ofTask?: boolean;
}

export const COMMANDS: readonly CommandButton[] = [
  {
    command: "pause",
    label: "Pause",
    key: "p",
    will: "{name} finishes its current action, then waits.",
    choice: { title: "When", labels: { action: "before its next action", iteration: "after this iteration" } },
    first: true,
  },
  { command: "resume", label: "Resume", key: "r", will: "{name} continues.", atOnce: true, first: true },
  {
    command: "steer",
    label: "Steer",
    key: "s",
    will: "{name} reads it at its next step, and goes on with its task.",
    asks: "Tell the agent",
    first: true,
  },
  {
    command: "stop",
    label: "Stop",
    key: "x",
    will: "Handrail saves the files of {name} and ends all its processes. You can resume it later.",
    confirm: true,
    danger: true,
    first: true,
  },
  { command: "checkpoint", label: "Save its files", key: "c", will: "Handrail saves the files of {name}.", atOnce: true },
  {
    command: "redirect",
    label: "Give it a new goal",
    key: "d",
    will: "The new goal replaces the old one. {name} reads it at its next step.",
    asks: "The new goal",
  },
  {
    command: "escalate",
    label: "Switch its model",
    key: "e",
    will: "{name} uses the other model from its next call on.",
    asks: "The model, such as opus",
  },
  {
    command: "reassign",
    label: "Give its slot another task",
    key: "D",
    will: "Handrail commits the work of {name} and ends its processes. Its slot goes on with the other task.",
    asks: "The other task",
    choice: { title: "Where", labels: { new: "in a new workspace", same: "in the same workspace" } },
    confirm: true,
    danger: true,
    ofTask: true,
  },
  {
    command: "interrupt",
    label: "Interrupt and pause",
    key: "i",
    will: "Handrail interrupts {name}, even in the middle of an answer, and pauses it.",
  },
  { command: "freeze", label: "Freeze", key: "f", will: "Handrail suspends all processes of {name} at once." },
  {
    command: "cancel",
    label: "Cancel for good",
    key: "K",
    will: "Handrail ends all processes of {name} FOR GOOD. You cannot resume it.",
    confirm: true,
    danger: true,
  },
];
