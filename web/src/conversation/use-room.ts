/** What was sent goes to the top of the window, and the answer fills the room below it without moving anything. */
import type { RefObject } from "preact";
import { useLayoutEffect, useState } from "preact/hooks";
import type { VirtualRows } from "../ui/list/use-virtual.ts";
import type { Item } from "./items.ts";

/** Above the message, so that it does not touch the edge. */
const GAP = 12;

/**
 * `sent` is the key of the row that was sent last. Returns the height of the empty room after the last row. It is drawn
 * together with the rows: between a row that shrinks and a room that grows later, the browser would scroll up.
 */
export function useRoom(
  scroller: RefObject<HTMLElement | null>,
  sent: string | null,
  items: readonly Item[],
  virtual: VirtualRows,
  onSent: (scrolledTo: number) => void,
): number {
  /** Where the message begins that the room is for. */
  const [message, setMessage] = useState<{ readonly start: number } | undefined>(undefined);
  const index = items.findIndex((item) => item.key === sent);
  useLayoutEffect(() => {
    const row = virtual.measurementsCache[index];
    if (row) setMessage({ start: row.start });
  }, [sent, index >= 0]);
  useLayoutEffect(() => {
    if (!message || !scroller.current) return;
    virtual.scrollToOffset(message.start - GAP);
    onSent(scroller.current.scrollTop);
  }, [message]);
  if (!message || !scroller.current) return 0;
  return Math.max(0, scroller.current.clientHeight - (virtual.getTotalSize() - message.start) - GAP);
}
