import type { MessageRef } from "./set.ts";

/** One way to search: the messages for a text, best first. */
export interface Ranking {
  readonly name: string;
  search(text: string, limit: number): Promise<readonly MessageRef[]> | readonly MessageRef[];
}
