/** The time that is left to answer, counting down. */
import { now } from "../../parts/Ago";
import { clock } from "../../parts/format";
import { timeLeft } from "./standing";

const SOON = 120;

export function TimeLeft({ until }: { until: number }) {
  const soon = until - now.value < SOON;
  return (
    <span class={soon ? "tone-red" : "tone-yellow"} title={`until ${clock(until)}`} role="timer">
      {timeLeft(until, now.value)}
    </span>
  );
}
