/** The pictures of a desktop run, from the checks in its timeline. */
import { addressOf } from "../../api/client";
import type { DesktopCheckRow, TimelineRow } from "../../api/types";

/** How many pictures the strip shows at most. */
export const MOST = 12;

export interface Picture {
  name: string;
  /** "", or "before" and "after" where a recovery lies between two pictures of one check. */
  when: "" | "before" | "after";
  alt: string;
}

/** A row with the check of a desktop watch. */
export type CheckRow = TimelineRow & { desktop: DesktopCheckRow };

export interface TakenPicture extends Picture {
  row: CheckRow;
}

export function isCheck(row: TimelineRow): row is CheckRow {
  return row.desktop !== null && row.desktop !== undefined;
}

/** Returns the pictures of one check, in the order in which they were taken. */
export function picturesOf(check: DesktopCheckRow): Picture[] {
  const both = Boolean(check.screenshot && check.after);
  const pictures: Picture[] = [];
  if (check.screenshot) pictures.push({ name: check.screenshot, when: both ? "before" : "", alt: check.says });
  if (check.after) {
    pictures.push({ name: check.after, when: both ? "after" : "", alt: `After the recovery: ${check.result || check.says}` });
  }
  return pictures;
}

/** Returns the last pictures of a run, the newest first. */
export function lastPictures(rows: readonly TimelineRow[], most = MOST): TakenPicture[] {
  const found: TakenPicture[] = [];
  for (let at = rows.length - 1; at >= 0 && found.length < most; at -= 1) {
    const row = rows[at];
    if (!row || !isCheck(row)) continue;
    for (const picture of picturesOf(row.desktop).reverse()) found.push({ ...picture, row });
  }
  return found.slice(0, most);
}

/** Returns the check before or after one, or nothing at the ends. */
export function neighbourCheck(rows: readonly TimelineRow[], seq: number, by: 1 | -1): CheckRow | undefined {
  const checks = rows.filter(isCheck);
  const at = checks.findIndex((row) => row.seq === seq);
  return at < 0 ? undefined : checks[at + by];
}

export function pictureAddress(run: string, name: string): string {
  return addressOf("/runs/{run}/screenshots/{name}", { run, name });
}
