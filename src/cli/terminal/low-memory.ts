import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";

/**
 * Each half of the young generation stops growing at 16 MB. Smaller, and too much is promoted; larger, and it only holds
 * more garbage.
 */
const SEMI_SPACE_BYTES = 14_000_000;

/**
 * For long work on much data of which little stays in use: by default V8 would
 * let garbage grow to many times that size. Call the returned function now and
 * then during the work.
 */
export function lowMemory(): () => void {
  setFlagsFromString("--heap-growing-percent=40");
  let isLimited = false;
  return () => {
    if (isLimited || semiSpaceBytes() < SEMI_SPACE_BYTES) return;
    setFlagsFromString("--semi-space-growth-factor=1");
    isLimited = true;
  };
}

/**
 * Call it before anything else: Node.js starts its helper threads when the first of them is needed. Each one that has
 * compressed keeps memory for it, and an import gives one of them enough to do. `UV_THREADPOOL_SIZE` overrides it.
 */
export function oneHelperThread(): void {
  process.env.UV_THREADPOOL_SIZE ??= "1";
}

/** What it may hold. Its size is what it has held so far, and lags behind. */
function semiSpaceBytes(): number {
  const space = getHeapSpaceStatistics().find(({ space_name: name }) => name === "new_space");
  return space === undefined ? 0 : space.space_used_size + space.space_available_size;
}
