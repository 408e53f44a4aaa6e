/** A long list of rows of one height: only those in sight exist. */
import type { ComponentChildren, LiHTMLAttributes } from "preact";
import { useLayoutEffect, useMemo, useReducer, useRef } from "preact/hooks";
import { rowOffsets, rowsInSight, topToShow } from "./rowWindow";

const OUT_OF_SIGHT = 6;

interface VirtualListProps<T> {
  items: readonly T[];
  keyOf: (item: T) => string;
  /** The height of each row, in pixels. */
  height: number;
  label: string;
  /** The place of the row that must be in sight; -1: none. */
  chosen: number;
  children: (item: T, index: number) => ComponentChildren;
  /** Handlers of the row's element, such as those of dragging. */
  rowProps?: (item: T, index: number) => LiHTMLAttributes<HTMLLIElement>;
}

export function VirtualList<T>({ items, keyOf, height, label, chosen, children, rowProps }: VirtualListProps<T>) {
  const scroller = useRef<HTMLDivElement>(null);
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  const view = useRef({ top: 0, height: 0 });
  const offsets = useMemo(() => rowOffsets(items, () => height), [items.length, height]);
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

  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const resize = new ResizeObserver(() => {
      view.current = { top: element.scrollTop, height: element.clientHeight };
      redraw(undefined);
    });
    resize.observe(element);
    return () => resize.disconnect();
  }, []);

  // A list that became shorter may have moved by itself.
  useLayoutEffect(look, [items.length]);

  useLayoutEffect(() => {
    const element = scroller.current;
    if (chosen < 0 || !element) return;
    element.scrollTop = topToShow(offsets, chosen, element.scrollTop, element.clientHeight);
    look();
  }, [chosen]);

  return (
    <div class="virtual" ref={scroller} onScroll={look}>
      <ul class="virtual-rows" aria-label={label} style={{ height: `${offsets[items.length] ?? 0}px` }}>
        {items.slice(from, to).map((item, place) => {
          const index = from + place;
          return (
            <li
              key={keyOf(item)}
              class="virtual-row"
              style={{ height: `${height}px`, transform: `translateY(${offsets[index] ?? 0}px)` }}
              aria-setsize={items.length}
              aria-posinset={index + 1}
              {...rowProps?.(item, index)}
            >
              {children(item, index)}
            </li>
          );
        })}
      </ul>
    </div>
  );
}
