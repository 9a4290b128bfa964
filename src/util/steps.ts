import { nextLoopTurn } from "./loop-turn.ts";

/** Long work that may pause between two steps. */
export type Steps<T> = Generator<undefined, T, undefined>;

/** Without a pause. */
export function inOneGo<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** The event loop turns in between. */
export async function withPauses<T>(steps: Steps<T>): Promise<T> {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    await nextLoopTurn();
  }
}
