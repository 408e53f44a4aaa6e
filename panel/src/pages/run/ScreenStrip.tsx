/** The last pictures of a desktop run in a row, the newest first. A click shows one in full. */
import { useMemo } from "preact/hooks";
import type { TimelineRow } from "../../api/types";
import { readOnly } from "../../live/rights";
import { clock } from "../../parts/format";
import { Mark } from "../../parts/Mark";
import { ScreenPicture } from "./ScreenPicture";
import { lastPictures } from "./screenshots";

interface ScreenStripProps {
  run: string;
  rows: readonly TimelineRow[];
  onOpen: (seq: number) => void;
}

/** Says why a reader sees words only. */
export const NO_PICTURES = "A picture may show secrets. You may only read here, so the pictures stay closed.";

export function ScreenStrip({ run, rows, onOpen }: ScreenStripProps) {
  const pictures = useMemo(() => lastPictures(rows), [rows]);
  if (!pictures.length) return null;
  return (
    <section class="screens" aria-label="Last screenshots">
      {readOnly.value ? (
        <p class="dim">{NO_PICTURES}</p>
      ) : (
        <ol class="screens-row">
          {pictures.map((picture) => (
            <li key={picture.name}>
              <button type="button" class="screen-thumb" onClick={() => onOpen(picture.row.seq)}>
                <ScreenPicture run={run} picture={picture} />
                <span class="screen-caption">
                  <Mark mark={picture.row.mark} tone={picture.row.tone} /> {clock(picture.row.at)} {picture.when}
                </span>
              </button>
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}
