/** A list of rows of different heights, of which only those in view exist. */
import {
  elementScroll,
  observeElementOffset,
  observeElementRect,
  Virtualizer,
  type VirtualizerOptions,
} from "@tanstack/virtual-core";
import { useLayoutEffect, useReducer, useState } from "preact/hooks";

export type VirtualRows = Virtualizer<HTMLElement, HTMLElement>;

type Given = Omit<
  VirtualizerOptions<HTMLElement, HTMLElement>,
  "scrollToFn" | "observeElementRect" | "observeElementOffset" | "onChange"
>;

export function useVirtual(given: Given): VirtualRows {
  const [, redraw] = useReducer((count: number, _: undefined) => count + 1, 0);
  const options: VirtualizerOptions<HTMLElement, HTMLElement> = {
    ...given,
    scrollToFn: elementScroll,
    observeElementRect,
    observeElementOffset,
    // Preact draws in a microtask, so that the rows are in place before the next frame.
    onChange: () => redraw(undefined),
  };
  const [rows] = useState(() => new Virtualizer(options));
  rows.setOptions(options);
  useLayoutEffect(() => rows._didMount(), []);
  useLayoutEffect(() => rows._willUpdate());
  return rows;
}
