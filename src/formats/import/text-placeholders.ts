/**
 * Short placeholders for long strings while a record is read and mapped.
 *
 * A string of 60 MB is in memory once, as bytes, goes to the store as a blob,
 * and is from then on a placeholder of 78 characters, always the same one for
 * the same string. It is stored before the record is parsed, so when the entry
 * is left out, because its conversation was purged or its words were erased,
 * `dropUnused` removes it again.
 */

import type { BlobRef } from "../../message/types.ts";
import type { Ingest } from "../../store/write/ingest.ts";
import { sha256, sha256Hex } from "../../util/sha256.ts";

const PREFIX = "colloquy-text-";
/** Strings of at least this size are replaced: the limit of `cutLongStrings`. */
const LONG_BYTES = 1024 * 1024;

/** How much of each string is kept at hand: enough for a title. */
const START_BYTES = 1024;

type TextRef = Pick<BlobRef, "hash" | "size">;

export class TextPlaceholders {
  readonly #ingest: Ingest | undefined;
  readonly #texts: Map<string, TextRef> = new Map();
  /** How the strings begin, by placeholder. */
  readonly #starts: Map<string, string> = new Map();
  /** Stored, and so far no entry refers to them. */
  readonly #unused: Set<string> = new Set();

  /** Without a store the placeholders are the same, and nothing is stored. */
  constructor(ingest: Ingest | undefined) {
    this.#ingest = ingest;
  }

  /** Stores a string and returns its placeholder. */
  async put(pieces: Iterable<Buffer>): Promise<string> {
    const start: Buffer[] = [];
    const read = withStart(pieces, start);
    const { hash, size } = (await this.#ingest?.putBlob(read)) ?? measured(read);
    const placeholder = `${PREFIX}${hash}`;
    this.#starts.set(placeholder, new TextDecoder().decode(Buffer.concat(start), { stream: true }));
    if (!this.#texts.has(placeholder)) this.#unused.add(hash);
    this.#texts.set(placeholder, { hash, size });
    return placeholder;
  }

  /** The stored string, if `text` is a placeholder. An entry is going to refer to it. */
  get(text: string): TextRef | undefined {
    const found = text.startsWith(PREFIX) ? this.#texts.get(text) : undefined;
    if (found !== undefined) this.#unused.delete(found.hash);
    return found;
  }

  /** The beginning of the string that `text` is a placeholder of, or else `text` itself. */
  startOf(text: string): string {
    return this.#starts.get(text) ?? text;
  }

  /** Whether a value has placeholders. They mean nothing in a later import, which may lack the strings. */
  areIn(value: unknown): boolean {
    return !this.isEmpty && JSON.stringify(value)?.includes(PREFIX) === true;
  }

  /** Its entry may be left out, so that nothing refers to it. */
  suspect(hashes: Iterable<string>): void {
    for (const hash of hashes) this.#unused.add(hash);
  }

  /** After an entry could not be written, every string counts as unused until the store finds a reference to it. */
  suspectAll(): void {
    this.suspect([...this.#texts.values()].map(({ hash }) => hash));
  }

  /** All files have been read: remove the strings that no entry refers to. */
  async dropUnused(): Promise<void> {
    if (this.#unused.size > 0) await this.#ingest?.dropUnused([...this.#unused]);
    this.#unused.clear();
  }

  get isEmpty(): boolean {
    return this.#texts.size === 0;
  }
}

function* withStart(pieces: Iterable<Buffer>, start: Buffer[]): Generator<Buffer> {
  let left = START_BYTES;
  for (const piece of pieces) {
    if (left > 0) start.push(Buffer.from(piece.subarray(0, left)));
    left -= Math.min(left, piece.length);
    yield piece;
  }
}

/** JSON with placeholders for long strings, to compare a stored value with one that was read with placeholders. */
export function shortJson(value: unknown): string {
  const json = JSON.stringify(value);
  if (json === undefined || json.length < LONG_BYTES / 3) return json;
  return JSON.stringify(value, (_, inner: unknown) => (isLong(inner) ? placeholderFor(inner) : inner));
}

function isLong(value: unknown): value is string {
  return (
    typeof value === "string" && value.length >= LONG_BYTES / 3 && Buffer.byteLength(value) >= LONG_BYTES
  );
}

function placeholderFor(text: string): string {
  return `${PREFIX}${sha256Hex(Buffer.from(text))}`;
}

function measured(pieces: Iterable<Buffer>): TextRef {
  const hash = sha256();
  let size = 0;
  for (const piece of pieces) {
    hash.update(piece);
    size += piece.length;
  }
  return { hash: hash.digest("hex"), size };
}
