import type { KeyConfig } from "../../key/index.ts";
import { readDocument, type SessionDocument } from "./document.ts";
import { type IndexBytes, type IndexFiles, readIndex } from "./files.ts";
import { isOurs } from "./lines.ts";

/** A program that does not replace the file atomically may be writing it right now. */
const RETRIES = 3;
const RETRY_MS = 50;
const sleeper = new Int32Array(new SharedArrayBuffer(4));

export interface WholeIndex extends IndexBytes {
  readonly text: string;
  /** `undefined` when it is damaged. */
  readonly document: SessionDocument | undefined;
}

/** Read the whole index, with retries while it is incomplete. `undefined` when there is none. */
export function readWhole(files: IndexFiles, config: KeyConfig | undefined): WholeIndex | undefined {
  for (let attempt = 0; ; attempt++) {
    const index = readIndex(files);
    if (index === undefined) return undefined;
    const text = index.bytes.toString();
    const document = readDocument(text, config);
    if (document !== undefined || attempt === RETRIES) return { ...index, text, document };
    Atomics.wait(sleeper, 0, 0, RETRY_MS);
  }
}

let spare: Buffer = Buffer.alloc(0);

/** Reuses one buffer, a little larger than needed. */
function spareOf(size: number): Buffer {
  if (spare.length < size || spare.length > 4 * size) spare = Buffer.allocUnsafe(Math.ceil(size * 1.25));
  return spare.subarray(0, size);
}

/**
 * The bytes to start a change with. An index that we wrote is never incomplete.
 * They are valid until the next change.
 */
export function readSettled(files: IndexFiles, config: KeyConfig | undefined): Buffer | undefined {
  const bytes = readIndex(files, spareOf)?.bytes;
  if (bytes === undefined || isOurs(bytes)) return bytes;
  return readWhole(files, config)?.bytes;
}
