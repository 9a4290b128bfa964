import type { RefObject } from "preact";
import { useLayoutEffect, useState } from "preact/hooks";

/** Rows beyond the view in each direction: enough for a fast wheel. */
const OVERSCAN = 20;

/** The first row to show, and the one after the last, of a list whose rows have one height. */
export function useVisibleRows(
  list: RefObject<HTMLElement | null>,
  count: number,
  rowHeight: number,
): readonly [number, number] {
  const [view, setView] = useState<readonly [number, number]>([0, 40]);
  useLayoutEffect(() => {
    const element = list.current;
    if (element === null) return;
    const measure = (): void => {
      const first = Math.floor(element.scrollTop / rowHeight) - OVERSCAN;
      const end = Math.ceil((element.scrollTop + element.clientHeight) / rowHeight) + OVERSCAN;
      setView((before) => (before[0] === first && before[1] === end ? before : [first, end]));
    };
    measure();
    const sizes = new ResizeObserver(measure);
    sizes.observe(element);
    element.addEventListener("scroll", measure, { passive: true });
    return () => {
      sizes.disconnect();
      element.removeEventListener("scroll", measure);
    };
  }, [list, rowHeight]);
  return [Math.max(0, view[0]), Math.min(count, view[1])];
}
