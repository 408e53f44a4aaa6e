/** The timeline: only the rows in sight exist; it follows the newest until somebody scrolls up. */
import {
  Virtualizer,
  elementScroll,
  observeElementOffset,
  observeElementRect,
  type VirtualizerOptions,
} from "@tanstack/virtual-core";
import { useSignal } from "@preact/signals";
import { useLayoutEffect, useMemo, useReducer, useRef } from "preact/hooks";
import type { TimelineRow } from "../../api/types";
import { loadOlder } from "../../live/timelines";
import { Icon } from "../../parts/Icon";
import { TimelineItem } from "./TimelineItem";

const LINE = 30;
const WITH_REMARK = 46;
/** So near to the end it follows what is new. */
const NEAR_END = 48;
const NEAR_BEGINNING = 600;

interface TimelineListProps {
  rows: readonly TimelineRow[];
  first: number;
  chosen: number;
  /** Steps that a finding is about: they are marked in the margin. */
  evidence: ReadonlySet<number>;
  onChoose: (row: TimelineRow) => void;
}

export function rowHeight(row: TimelineRow | undefined): number {
  return row?.remark ? WITH_REMARK : LINE;
}

export function TimelineList({ rows, first, chosen, evidence, onChoose }: TimelineListProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  const follows = useRef(true);
  const lastTop = useRef(0);
  const unseen = useSignal(0);
  const shown = useRef<{ rows: readonly TimelineRow[]; height: number }>({ rows: [], height: 0 });

  const options: VirtualizerOptions<HTMLDivElement, HTMLDivElement> = {
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => rowHeight(rows[index]),
    getItemKey: (index) => rows[index]?.seq ?? index,
    overscan: 12,
    scrollToFn: elementScroll,
    observeElementRect,
    observeElementOffset,
    onChange: () => redraw(undefined),
  };
  const virtual = useMemo(() => new Virtualizer(options), []);
  virtual.setOptions(options);
  useLayoutEffect(() => virtual._didMount(), [virtual]);
  useLayoutEffect(() => virtual._willUpdate());

  // The page around it grows while it loads: the newest stays in sight.
  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const resize = new ResizeObserver(() => {
      if (follows.current) element.scrollTop = element.scrollHeight;
    });
    resize.observe(element);
    return () => resize.disconnect();
  }, []);

  // New rows at the end are followed; old ones at the beginning must not move what is in sight.
  useLayoutEffect(() => {
    const element = scroller.current;
    const before = shown.current;
    if (before.rows === rows || !element) return;
    virtual.measure();
    const height = rows.reduce((sum, row) => sum + rowHeight(row), 0);
    const added = rows.length - before.rows.length;
    const older = (rows[0]?.seq ?? 0) < (before.rows[0]?.seq ?? 0);
    shown.current = { rows, height };
    if (follows.current) element.scrollTop = height;
    else if (older) element.scrollTop += height - before.height;
    else if (added > 0) unseen.value += added;
  }, [rows]);

  // The chosen row comes into sight when it was chosen elsewhere: by key, chart or finding.
  useLayoutEffect(() => {
    if (!chosen) return;
    const index = rows.findIndex((row) => row.kind === "action" && row.step === chosen);
    if (index < 0) return;
    follows.current = false;
    virtual.scrollToIndex(index, { align: "auto" });
  }, [chosen, chosen > 0 && rows.length > 0]);

  function onScroll(): void {
    const element = scroller.current;
    if (!element) return;
    const isAtEnd = element.scrollHeight - element.scrollTop - element.clientHeight < NEAR_END;
    // Only a move upwards ends the following: a change of size is none.
    if (isAtEnd) follows.current = true;
    else if (element.scrollTop < lastTop.current) follows.current = false;
    lastTop.current = element.scrollTop;
    if (follows.current) unseen.value = 0;
    if (element.scrollTop < NEAR_BEGINNING) void loadOlder();
  }

  function toEnd(): void {
    follows.current = true;
    unseen.value = 0;
    if (scroller.current) scroller.current.scrollTop = scroller.current.scrollHeight;
  }

  return (
    <div class="timeline">
      <div ref={scroller} class="timeline-scroll" onScroll={onScroll} role="region" aria-label="Timeline" tabIndex={0}>
        <ol class="timeline-rows" style={{ height: `${virtual.getTotalSize()}px` }}>
          {virtual.getVirtualItems().map((item) => {
            const row = rows[item.index];
            return (
              row && (
                <TimelineItem
                  key={item.key}
                  row={row}
                  top={item.start}
                  chosen={row.kind === "action" && row.step === chosen}
                  isEvidence={evidence.has(row.step) && row.kind === "action"}
                  onChoose={onChoose}
                />
              )
            );
          })}
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
