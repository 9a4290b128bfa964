/** A list of rows of one height, of which only those in view exist. */
import type { JSX, VNode } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { useVisibleRows } from "./use-visible-rows.ts";

export interface FixedListProps<T> {
  readonly name: string;
  readonly items: readonly T[];
  readonly rowHeight: number;
  /** After the last row. */
  readonly foot?: JSX.Element | null;
  readonly chosen?: number;
  keyOf(item: T): string;
  row(item: T, index: number): VNode;
  /** Called when the last rows come near. */
  onNearEnd?(): void;
}

/** The next rows are read before the last ones come into view, even with a fast wheel. */
const AHEAD = 150;

export function FixedList<T>(props: FixedListProps<T>): JSX.Element {
  const { items, rowHeight, keyOf, onNearEnd } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const anchor = useRef<string | undefined>(undefined);
  const [first, last] = useVisibleRows(scroller, items.length, rowHeight);

  // What is read stays where it is when rows arrive above it. At the top, new rows are shown.
  useLayoutEffect(() => {
    const element = scroller.current;
    const before = anchor.current;
    if (!element || before === undefined || element.scrollTop < rowHeight) return;
    const was = Math.floor(element.scrollTop / rowHeight);
    const now = items.findIndex((item) => keyOf(item) === before);
    if (now >= 0 && now !== was) element.scrollTop += (now - was) * rowHeight;
  }, [items]);
  useLayoutEffect(() => {
    const atTop = items[Math.floor((scroller.current?.scrollTop ?? 0) / rowHeight)];
    anchor.current = atTop && keyOf(atTop);
  }, [items, first]);

  useLayoutEffect(() => {
    if (last > items.length - AHEAD) onNearEnd?.();
  }, [last, items.length]);

  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element || props.chosen === undefined || props.chosen < 0) return;
    const top = props.chosen * rowHeight;
    if (top < element.scrollTop) element.scrollTop = top;
    else if (top + rowHeight > element.scrollTop + element.clientHeight)
      element.scrollTop = top + rowHeight - element.clientHeight;
  }, [props.chosen]);

  return (
    <div class="fixed-list" ref={scroller}>
      <ul aria-label={props.name} style={{ height: `${items.length * rowHeight}px` }}>
        {items.slice(first, last).map((item, index) => (
          <li
            key={keyOf(item)}
            aria-setsize={items.length}
            aria-posinset={first + index + 1}
            style={{ transform: `translateY(${(first + index) * rowHeight}px)`, height: `${rowHeight}px` }}
          >
            {props.row(item, first + index)}
          </li>
        ))}
      </ul>
      {props.foot}
    </div>
  );
}
