/** The timeline: only the rows in sight exist; it follows the newest until somebody scrolls up. */
import { useSignal } from "@preact/signals";
import { useLayoutEffect, useMemo, useReducer, useRef } from "preact/hooks";
import type { TimelineRow } from "../../api/types";
import { loadOlder } from "../../live/timelines";
import { Icon } from "../../parts/Icon";
import { rowOffsets, rowsInSight, topToShow } from "../../parts/rowWindow";
import { TimelineItem } from "./TimelineItem";

/** As in run.css: `.row-line`, and with `.row-remark`. */
const LINE = 30;
const WITH_REMARK = 46;
/** So near to the end it follows what is new. */
const NEAR_END = 48;
const NEAR_BEGINNING = 600;
const OUT_OF_SIGHT = 8;

interface TimelineListProps {
  rows: readonly TimelineRow[];
  first: number;
  chosen: number;
  /** Steps that a finding is about: they are marked in the margin. */
  evidence: ReadonlySet<number>;
  onChoose: (row: TimelineRow) => void;
}

function heightOf(row: TimelineRow): number {
  return row.remark ? WITH_REMARK : LINE;
}

export function TimelineList({ rows, first, chosen, evidence, onChoose }: TimelineListProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  const follows = useRef(true);
  const view = useRef({ top: 0, height: 0 });
  const shown = useRef<{ rows: readonly TimelineRow[]; height: number }>({ rows: [], height: 0 });
  const unseen = useSignal(0);

  const offsets = useMemo(() => rowOffsets(rows, heightOf), [rows]);
  const total = offsets[rows.length] ?? 0;
  const inSight = () => rowsInSight(offsets, view.current.top, view.current.height, OUT_OF_SIGHT);
  const [from, to] = inSight();

  /** Notes what is in sight, and draws again only if other rows are. */
  function look(): void {
    const element = scroller.current;
    if (!element) return;
    view.current = { top: element.scrollTop, height: element.clientHeight };
    const [nextFrom, nextTo] = inSight();
    if (nextFrom !== from || nextTo !== to) redraw(undefined);
  }

  function scrollTo(top: number): void {
    if (scroller.current) scroller.current.scrollTop = top;
    look();
  }

  // The page around it grows while it loads: the newest stays in sight.
  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const resize = new ResizeObserver(() => {
      if (follows.current) element.scrollTop = element.scrollHeight;
      view.current = { top: element.scrollTop, height: element.clientHeight };
      redraw(undefined);
    });
    resize.observe(element);
    return () => resize.disconnect();
  }, []);

  // New rows at the end are followed; old ones at the beginning must not move what is in sight.
  useLayoutEffect(() => {
    const before = shown.current;
    if (before.rows === rows) return;
    const added = rows.length - before.rows.length;
    const older = (rows[0]?.seq ?? 0) < (before.rows[0]?.seq ?? 0);
    shown.current = { rows, height: total };
    if (follows.current) scrollTo(total);
    else if (older) scrollTo(view.current.top + total - before.height);
    else if (added > 0) unseen.value += added;
  }, [rows]);

  // The chosen row comes into sight when it was chosen elsewhere: by key, chart or finding.
  useLayoutEffect(() => {
    const index = chosen ? rows.findLastIndex((row) => row.kind === "action" && row.step === chosen) : -1;
    if (index < 0) return;
    follows.current = false;
    scrollTo(topToShow(offsets, index, view.current.top, view.current.height));
  }, [chosen, chosen > 0 && rows.length > 0]);

  function onScroll(): void {
    const element = scroller.current;
    if (!element) return;
    const isAtEnd = element.scrollHeight - element.scrollTop - element.clientHeight < NEAR_END;
    // Only a move upwards ends the following: a change of size is none.
    if (isAtEnd) follows.current = true;
    else if (element.scrollTop < view.current.top) follows.current = false;
    if (follows.current) unseen.value = 0;
    if (element.scrollTop < NEAR_BEGINNING) void loadOlder();
    look();
  }

  function toEnd(): void {
    follows.current = true;
    unseen.value = 0;
    scrollTo(total);
  }

  return (
    <div class="timeline">
      <div ref={scroller} class="timeline-scroll" onScroll={onScroll} role="region" aria-label="Timeline" tabIndex={0}>
        <ol class="timeline-rows" style={{ height: `${total}px` }}>
          {rows.slice(from, to).map((row, index) => (
            <TimelineItem
              key={row.seq}
              row={row}
              top={offsets[from + index] ?? 0}
              chosen={row.kind === "action" && row.step === chosen}
              isEvidence={row.kind === "action" && evidence.has(row.step)}
              onChoose={onChoose}
            />
          ))}
        </ol>
        {first === 0 && rows.length === 0 && <p class="loading">Nothing has happened yet.</p>}
      </div>
      {unseen.value > 0 && (
        <button type="button" class="button button-primary button-small to-end" onClick={toEnd}>
          <Icon name="down" /> {unseen.value} new
        </button>
      )}
    </div>
  );
}
