import { setFlagsFromString } from "node:v8";

/**
 * For long work through much data, of which hardly anything stays in use: by
 * itself the engine would let garbage grow to many times of that. Called when
 * a command begins such work, and for the rest of the process.
 */
export function lowMemory(): void {
  // Neither the space for what is new nor that for what is older grows much beyond what it is now.
  setFlagsFromString("--semi-space-growth-factor=1");
  setFlagsFromString("--heap-growing-percent=50");
}
