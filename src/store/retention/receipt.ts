import type { Removed } from "../../engine/index.ts";

/** A receipt of what was removed. */
export interface Receipt extends Removed {
  /** The conversation id. */
  readonly id: string;
  readonly at: string;
}
