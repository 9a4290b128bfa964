import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";

/** The space for new things stays at this size: smaller, and much is taken for old; larger, and it is only more garbage. */
const NEW_SPACE_BYTES = 24_000_000;

/**
 * For long work through much data, of which hardly anything stays in use: by
 * itself the engine would let garbage grow to many times of that. What is
 * returned is called now and then while the work goes on.
 */
export function lowMemory(): () => void {
  setFlagsFromString("--heap-growing-percent=50");
  let isSettled = false;
  return () => {
    if (isSettled || newSpaceBytes() < NEW_SPACE_BYTES) return;
    setFlagsFromString("--semi-space-growth-factor=1");
    isSettled = true;
  };
}

function newSpaceBytes(): number {
  return getHeapSpaceStatistics().find(({ space_name: name }) => name === "new_space")?.space_size ?? 0;
}
