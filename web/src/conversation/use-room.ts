/** What was sent goes to the top of the window, and the answer fills the room below it without moving anything. */
import type { RefObject } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { VirtualRows } from "../ui/list/use-virtual.ts";
import type { Item } from "./items.ts";

/** Above the message, so that it does not touch the edge. */
const GAP = 12;

/** `sent` is the key of the row that was sent last. Returns where the empty room belongs, after the last row. */
export function useRoom(
  scroller: RefObject<HTMLElement | null>,
  sent: string | null,
  items: readonly Item[],
  virtual: VirtualRows,
  total: number,
  onSent: () => void,
): RefObject<HTMLDivElement | null> {
  const room = useRef<HTMLDivElement>(null);
  /** Where the message begins that the room is for. */
  const start = useRef<number | undefined>(undefined);
  const index = items.findIndex((item) => item.key === sent);
  useLayoutEffect(() => {
    if (sent === null || index < 0) return;
    onSent();
    start.current = virtual.measurementsCache[index]?.start;
  }, [sent, index >= 0]);
  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element || !room.current || start.current === undefined) return;
    const used = total - start.current;
    room.current.style.height = `${Math.max(0, element.clientHeight - used - GAP)}px`;
  }, [total, sent, index >= 0]);
  useLayoutEffect(() => {
    if (start.current !== undefined && index >= 0) virtual.scrollToOffset(start.current - GAP);
  }, [sent, index >= 0]);
  return room;
}
