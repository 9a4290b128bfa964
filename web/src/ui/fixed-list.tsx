/** A list of rows of one height, of which only those in view exist. */
import type { JSX, VNode } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";

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

/** Rows beyond the window in each direction: enough for a fast wheel. */
const SPARE = 20;
/** The next rows are read before the last ones come into view, even with a fast wheel. */
const AHEAD = 150;

export function FixedList<T>(props: FixedListProps<T>): JSX.Element {
  const { items, rowHeight, keyOf, onNearEnd } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 900 });
  const anchor = useRef<string | undefined>(undefined);
  const first = Math.max(0, Math.floor(view.top / rowHeight) - SPARE);
  const last = Math.min(items.length, Math.ceil((view.top + view.height) / rowHeight) + SPARE);

  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const look = (): void => setView({ top: element.scrollTop, height: element.clientHeight });
    const watcher = new ResizeObserver(look);
    watcher.observe(element);
    element.addEventListener("scroll", look, { passive: true });
    return () => {
      watcher.disconnect();
      element.removeEventListener("scroll", look);
    };
  }, []);

  // What is read stays where it is when rows arrive above it. At the top, new rows are shown.
  useLayoutEffect(() => {
    const element = scroller.current;
    const before = anchor.current;
    if (!element || before === undefined || element.scrollTop < rowHeight) return;
    const was = Math.floor(element.scrollTop / rowHeight);
    const now = items.findIndex((item) => keyOf(item) === before);
    if (now >= 0 && now !== was) element.scrollTop += (now - was) * rowHeight;
  }, [items]);
  const atTop = items[Math.floor(view.top / rowHeight)];
  useLayoutEffect(() => {
    anchor.current = atTop && keyOf(atTop);
  });

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
