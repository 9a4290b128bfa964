import { bindResults } from "./bind.ts";
import type { ContextItem } from "./item.ts";

/** Where a conversation may be divided without parting a call from its result. */
export interface Divisions {
  /** The nearest place at or before `index`. */
  before(index: number): number;
  /** The nearest place at or after `index`. */
  after(index: number): number;
}

export function divisions(items: readonly ContextItem[]): Divisions {
  /** How many pairs begin (+) and end (-) there, then how many are open before each message. */
  const open = new Int32Array(items.length + 2);
  for (const { call, index } of bindResults(items).answers) {
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
