import type { RefObject } from "preact";
import { useLayoutEffect } from "preact/hooks";
import type { Cell } from "../state/cell.ts";

/** A title of two lines, a composer that grows and a keyboard leave less room: the end stays in view for its reader. */
export function useEndInView(scroller: RefObject<HTMLElement | null>, isFollowing: Cell<boolean>): void {
  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const sizes = new ResizeObserver(() => {
      if (isFollowing.value) element.scrollTop = element.scrollHeight;
    });
    sizes.observe(element);
    return () => sizes.disconnect();
  }, [isFollowing]);
}
