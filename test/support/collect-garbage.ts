/** For tests that count what is kept in memory. */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");

/** What a new `WeakRef` leads to stays until the end of the turn, so call it in a later one. */
export const collectGarbage: () => void = runInNewContext("gc");
