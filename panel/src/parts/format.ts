/** Numbers and times as people read them. */

const MINUTE = 60;
const HOUR = 3600;
const DAY = 86_400;

// One formatter for all: to make one takes longer than to draw a row.
const COUNT = new Intl.NumberFormat("en-US");
const TIME = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", second: "2-digit" });
const DATE = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" });

/** 14:02:11, or the date too if it was not today. */
export function clock(at: number, now = Date.now() / 1000): string {
  const date = new Date(at * 1000);
  const today = new Date(now * 1000);
  const isToday = now - at < DAY && date.getDate() === today.getDate();
  return (isToday ? TIME : DATE).format(date);
}

/** 12 s, 4 min, 3 h 10 min, 2 days. */
export function span(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  if (whole < MINUTE) return `${whole} s`;
  if (whole < HOUR) return `${Math.floor(whole / MINUTE)} min`;
  if (whole < DAY) {
    const minutes = Math.floor((whole % HOUR) / MINUTE);
    return `${Math.floor(whole / HOUR)} h${minutes ? ` ${minutes} min` : ""}`;
  }
  const days = Math.floor(whole / DAY);
  return days === 1 ? "1 day" : `${days} days`;
}

/** $0.42; small amounts are not called free. */
export function dollars(amount: number | null): string {
  if (amount === null) return "";
  if (amount > 0 && amount < 0.01) return "<$0.01";
  return `$${amount.toFixed(2)}`;
}

/** 950, 12.3 k, 1.2 M. */
export function short(count: number): string {
  if (count < 1000) return String(Math.round(count));
  if (count < 999_950) return `${(count / 1000).toFixed(count < 99_950 ? 1 : 0)} k`;
  return `${(count / 1_000_000).toFixed(1)} M`;
}

/** "1 action", "2 actions". */
export function plural(count: number, word: string): string {
  return `${COUNT.format(count)} ${word}${count === 1 ? "" : "s"}`;
}

/** "3 files changed"; none is said in words. */
export function changedFiles(count: number): string {
  return count ? `${plural(count, "file")} changed` : "nothing changed";
}

/** 512 B, 4.1 KB, 12.3 MB. */
export function bytes(count: number): string {
  if (count < 1000) return `${count} B`;
  if (count < 999_950) return `${(count / 1000).toFixed(1)} KB`;
  return `${(count / 1_000_000).toFixed(1)} MB`;
}
