/**
 * Short words that stand for long texts while a record is read and mapped.
 *
 * A text of 60 MB exists as bytes once, goes to the store as a blob, and is
 * from then on a word of 78 characters, which the same text always gets.
 */
import { createHash } from "node:crypto";
import type { BlobRef } from "../../message/types.ts";
import type { Ingest } from "../../store/write/ingest.ts";

const PREFIX = "colloquy-text-";
/** Texts of as many bytes have a word; the same limit as in `cutLongStrings`. */
const LONG_BYTES = 1024 * 1024;

type TextRef = Pick<BlobRef, "hash" | "size">;

export class StandIns {
  readonly #ingest: Ingest | undefined;
  readonly #texts: Map<string, TextRef> = new Map();

  /** Without a store the words are made all the same. */
  constructor(ingest: Ingest | undefined) {
    this.#ingest = ingest;
  }

  /** The word for a text, which is kept. */
  async put(bytes: Buffer): Promise<string> {
    const stored = await this.#ingest?.putBlob(bytes);
    const { hash, size } = stored ?? { hash: hashOf(bytes), size: bytes.length };
    const word = `${PREFIX}${hash}`;
    this.#texts.set(word, { hash, size });
    return word;
  }

  /** What a text stands for, when it is such a word. */
  get(text: string): TextRef | undefined {
    return text.startsWith(PREFIX) ? this.#texts.get(text) : undefined;
  }

  get isEmpty(): boolean {
    return this.#texts.size === 0;
  }
}

/** JSON with the word in the place of every long text, so that it can be compared with what was read so. */
export function shortJson(value: unknown): string {
  const json = JSON.stringify(value);
  if (json === undefined || json.length < LONG_BYTES / 3) return json;
  return JSON.stringify(value, (_, inner: unknown) => (isLong(inner) ? wordFor(inner) : inner));
}

function isLong(value: unknown): value is string {
  return (
    typeof value === "string" && value.length >= LONG_BYTES / 3 && Buffer.byteLength(value) >= LONG_BYTES
  );
}

function wordFor(text: string): string {
  return `${PREFIX}${hashOf(Buffer.from(text))}`;
}

function hashOf(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}
