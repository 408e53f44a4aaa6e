/** How long ago something was. One clock moves all of them. */
import { signal } from "@preact/signals";
import { clock, span } from "./format";

const TICK_MS = 1000;

/** The time now, in seconds: it moves once a second while the page is visible. */
export const now = signal(Date.now() / 1000);

setInterval(() => {
  if (!document.hidden) now.value = Date.now() / 1000;
}, TICK_MS);

export function Ago({ at, suffix = "" }: { at: number; suffix?: string }) {
  return (
    <time dateTime={new Date(at * 1000).toISOString()} title={clock(at)}>
      {span(now.value - at)}
      {suffix}
    </time>
  );
}
