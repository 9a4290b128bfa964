/**
 * Memory for segments, used again and again. An import fills gigabytes of it: as new memory for each segment, that
 * would run the garbage collector several times as often.
 */
import { giveBack } from "../../sources/json/long-strings.ts";

/** A segment, and the record with which it becomes full. Longer records have memory of their own. */
export const MEMORY_BYTES: number = (256 + 64) * 1024;
const SPARE_MAX = 16;

const spare: Buffer[] = [];

export function takeMemory(): Buffer {
  return spare.pop() ?? Buffer.allocUnsafeSlow(MEMORY_BYTES);
}

/**
 * Nothing may use it any more. Without this call it is garbage, as other memory is. That of a long record is freed at
 * once: several such records may be read before the next garbage collection.
 */
export function returnMemory(memory: Buffer): void {
  if (memory.length !== MEMORY_BYTES) giveBack(memory);
  else if (spare.length < SPARE_MAX) spare.push(memory);
}
