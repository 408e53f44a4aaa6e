/** The stream of events from the daemon: one connection, which heals itself. */
import { revealing } from "../api/reveal";
import { signal } from "@preact/signals";
import { ApiError, addressOf, api, whenNoAnswer } from "../api/client";
import type { ApiSession, StreamFrame } from "../api/types";
import { paced } from "./paced";

export type Health = "starting" | "live" | "dead" | "logged-out";

interface Listener {
  /** Frames since the last call: the first at once, then at most four times a second. */
  onFrames: (frames: readonly StreamFrame[]) => void;
  /** Another daemon or another log: load everything again. */
  onReset: () => void;
  /** The stream begins, or begins anew with other timelines: what was loaded before may be older than its first frame. */
  onBegin: () => void;
}

const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 5000;
/** The daemon gives a sign of life every two seconds; without one for so long, it is gone. */
const QUIET_MS = 7000;
/** More frames than that in one go are not worth replaying. */
const MOST_FRAMES = 500;
/** Between two drawings. Hundreds of runs change ten times a second, and the browser may share its processors with them. */
const DRAW_EVERY_MS = 250;

export const health = signal<Health>("starting");
export const session = signal<ApiSession | null>(null);
/** Why the daemon itself says that something is wrong; empty: nothing. */
export const daemonProblem = signal("");

let source: EventSource | null = null;
let listener: Listener | null = null;
let position = 0;
let watched = "";
let waitMs = FIRST_WAIT_MS;
let retry: ReturnType<typeof setTimeout> | undefined;
let lastSign = 0;
let collected: StreamFrame[] = [];

/** By a timer, not with the next frame of the screen: a tab in the background draws none, and its title tells how a run stands. */
const deliver = paced(DRAW_EVERY_MS, () => {
  const frames = collected;
  collected = [];
  if (frames.length > MOST_FRAMES || frames.some((each) => each.reset)) listener?.onReset();
  else listener?.onFrames(frames);
});

function collect(frame: StreamFrame): void {
  position = Math.max(position, frame.position);
  daemonProblem.value = frame.problem ?? "";
  collected.push(frame);
  deliver();
}

function close(): void {
  source?.close();
  source = null;
  clearTimeout(retry);
}

/** Opens the stream where it broke off, or with other timelines from now on. */
function open(begin: boolean): void {
  close();
  const after = begin ? undefined : position;
  const opened = new EventSource(addressOf("/events", { after, run: watched }));
  source = opened;
  let begins = begin;
  opened.onopen = () => {
    lastSign = performance.now();
    waitMs = FIRST_WAIT_MS;
    health.value = "live";
  };
  opened.onmessage = (message: MessageEvent<string>) => {
    lastSign = performance.now();
    collect(JSON.parse(message.data, revealing) as StreamFrame);
    if (begins) listener?.onBegin();
    begins = false;
  };
  opened.addEventListener("alive", () => {
    lastSign = performance.now();
  });
  opened.onerror = () => {
    if (source === opened) lose();
  };
}

function lose(): void {
  close();
  if (health.value !== "logged-out") health.value = "dead";
  retry = setTimeout(connect, waitMs);
  waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS);
}

/** Asks which daemon answers, then opens the stream where it broke off. */
async function connect(): Promise<void> {
  clearTimeout(retry);
  try {
    const before = session.peek();
    const now = await api.get("/session");
    session.value = now;
    const another = before !== null && before.started !== now.started;
    if (before === null || another) position = now.position;
    if (health.value === "logged-out" || another) listener?.onReset();
    else if (before === null) listener?.onBegin();
    open(false);
  } catch (error) {
    if (error instanceof ApiError && error.problem.status === 401) {
      close();
      health.value = "logged-out";
    } else {
      lose();
    }
  }
}

function checkQuiet(): void {
  if (health.value === "live" && performance.now() - lastSign > QUIET_MS) lose();
}

/** Begins to listen; the listener stays the same for as long as the panel is open. */
export function startConnection(its: Listener): void {
  listener = its;
  setInterval(checkQuiet, 1000);
  addEventListener("online", () => void connect());
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden && health.value === "dead") void connect();
  });
  // Some request failed: the stream may be as dead without having noticed.
  whenNoAnswer(() => {
    if (health.peek() === "live") lose();
  });
  void connect();
}

/** Connects at once, such as after a login. */
export function reconnect(): void {
  waitMs = FIRST_WAIT_MS;
  void connect();
}

/** Asks the daemon for the timeline of these runs too. */
export function watchRuns(runs: readonly string[]): void {
  const next = runs.join(",");
  if (next === watched) return;
  watched = next;
  if (source) open(true);
}
