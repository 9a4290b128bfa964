/** What was sent goes to the top of the window, and the answer fills the room below it without moving anything. */
import type { RefObject } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { VirtualRows } from "../ui/use-virtual.ts";
import type { Item } from "./items.ts";

/** `sent` is the key of the message that is being sent. Returns where the empty room belongs, after the last row. */
export function useRoom(
  scroller: RefObject<HTMLElement | null>,
  sent: string | undefined,
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
    if (sent === undefined || index < 0) return;
    onSent();
    start.current = virtual.measurementsCache[index]?.start;
  }, [sent]);
  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element || !room.current || start.current === undefined) return;
    const used = total - start.current;
    room.current.style.height = `${Math.max(0, element.clientHeight - used)}px`;
  }, [total, sent]);
  useLayoutEffect(() => {
    if (start.current !== undefined && sent !== undefined) virtual.scrollToOffset(start.current);
  }, [sent]);
  return room;
}
