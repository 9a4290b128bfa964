import { bindResults } from "./bind.ts";
import type { ContextItem } from "./item.ts";

/** Where a conversation can be split without separating a call from its result. */
export interface SplitPoints {
  /** The nearest split point at or before `index`. */
  before(index: number): number;
  /** The nearest split point at or after `index`. */
  after(index: number): number;
}

export function splitPoints(items: readonly ContextItem[]): SplitPoints {
  /** How many pairs start (+) and end (-) at a position; summed up, how many are open before each message. */
  const open = new Int32Array(items.length + 2);
  for (const { call, index } of bindResults(items).results) {
    open[call.index + 1] = (open[call.index + 1] as number) + 1;
    open[index + 1] = (open[index + 1] as number) - 1;
  }
  for (let at = 1; at < open.length; at++) open[at] = (open[at] as number) + (open[at - 1] as number);
  const free = (at: number): boolean => at <= 0 || at >= items.length || open[at] === 0;
  return {
    before(index) {
      let at = Math.max(0, Math.min(index, items.length));
      while (!free(at)) at--;
      return at;
    },
    after(index) {
      let at = Math.max(0, Math.min(index, items.length));
      while (!free(at)) at++;
      return at;
    },
  };
}
