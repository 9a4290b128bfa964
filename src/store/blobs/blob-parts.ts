/**
 * Large parts of messages (images, documents, tool results) are stored
 * once, however often they occur, and compressed where that pays. This module
 * takes them out of a message and puts them back; an empty string marks their place.
 */

import type { NewBlob } from "../../engine/index.ts";
import type { BlobRef, Message, StoredEntry } from "../../message/types.ts";
import { isPlainObject, type JsonObject } from "../../util/json.ts";
import { sha256Hex } from "../../util/sha256.ts";
import type { StoreAccess } from "../access.ts";

/** Parts of fewer characters stay in the message: a lookup would cost more than they do. */
const BLOB_CHARS_MIN = 16 * 1024;

// Loaded when first needed: most commands never see a large part.
const zlib = (): typeof import("node:zlib") => process.getBuiltinModule("node:zlib");

type Path = readonly (string | number)[];

export interface Extracted {
  readonly json: string;
  readonly refs: readonly BlobRef[];
  readonly blobs: readonly NewBlob[];
}

/**
 * Take the large parts out of a message, or out of the data of another entry.
 * `undefined` if it has none, as is usual. `json` is its JSON text.
 */
export function extractBlobs(
  value: Message | JsonObject,
  json: string,
  standsFor: StandsFor = NOTHING,
): Extracted | undefined {
  const { content } = value as Partial<Message>;
  const blocks = Array.isArray(content) ? content : [];
  const references = referencesIn(value);
  const stored = standsFor === NOTHING ? [] : storedTexts(value, [], standsFor);
  if (json.length < BLOB_CHARS_MIN && references.length + stored.length === 0) return undefined;
  const places = largeParts(blocks, ["content"]);
  if (places.length + references.length + stored.length === 0) return undefined;
  let copy: unknown = value;
  const blobs: NewBlob[] = [];
  const refs = places.map(({ path, text, base64 }): BlobRef => {
    const decoded = base64 ? decodeBase64(text) : undefined;
    const bytes = decoded ?? Buffer.from(text);
    const hash = hashOf(bytes);
    copy = emptied(copy, path, 0);
    if (!blobs.some((blob) => blob.hash === hash)) {
      blobs.push({ hash, size: bytes.length, ...compress(bytes) });
    }
    return { hash, size: bytes.length, path, as: decoded === undefined ? "text" : "base64" };
  });
  for (const { path } of stored) copy = emptied(copy, path, 0);
  return { json: JSON.stringify(copy), refs: [...refs, ...stored, ...references], blobs };
}

/** The stored string that a placeholder in an entry stands for, if it is one. */
export type StandsFor = (text: string) => Pick<BlobRef, "hash" | "size"> | undefined;

const NOTHING: StandsFor = () => undefined;

function storedTexts(value: unknown, path: Path, standsFor: StandsFor): BlobRef[] {
  if (typeof value === "string") {
    const found = standsFor(value);
    return found === undefined ? [] : [{ ...found, path, as: "text" }];
  }
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([member, inner]) =>
    storedTexts(inner, [...path, Array.isArray(value) ? Number(member) : member], standsFor),
  );
}

interface Part {
  readonly path: Path;
  readonly text: string;
  readonly base64: boolean;
}

function largeParts(blocks: readonly unknown[], path: Path): Part[] {
  return blocks.flatMap((block, index) => {
    if (!isPlainObject(block)) return [];
    const here = [...path, index];
    if ((block.type === "image" || block.type === "document") && isPlainObject(block.source)) {
      return large(block.source.data, [...here, "source", "data"], block.source.type === "base64");
    }
    if (block.type !== "tool_result") return [];
    if (!Array.isArray(block.content)) return large(block.content, [...here, "content"], false);
    const inner = [...here, "content"];
    const texts = block.content.flatMap((part, place) =>
      isPlainObject(part) && part.type === "text" ? large(part.text, [...inner, place, "text"], false) : [],
    );
    return [...texts, ...largeParts(block.content, inner)];
  });
}

function large(text: unknown, path: Path, base64: boolean): Part[] {
  // Half a surrogate pair has no form in UTF-8.
  if (typeof text !== "string" || text.length < BLOB_CHARS_MIN || !text.isWellFormed()) return [];
  return [{ path, text, base64 }];
}

/** The bytes, if the string is their canonical Base64 form. */
function decodeBase64(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, "base64");
  return bytes.toString("base64") === text ? bytes : undefined;
}

/** A blob reference. Any other value here belongs to the caller and refers to nothing. */
const HASH = /^[0-9a-f]{64}$/;

/** The blobs that a message refers to by their hash. */
export function referencesIn({ content }: Partial<Message> | JsonObject): BlobRef[] {
  return storedReferences(Array.isArray(content) ? content : []);
}

/** Blocks that refer to a blob that was stored before: `source: { type: "blob", hash }`, also within tool results. */
function storedReferences(blocks: readonly unknown[]): BlobRef[] {
  return blocks.flatMap((block) => {
    if (!isPlainObject(block)) return [];
    if (block.type === "tool_result" && Array.isArray(block.content)) return storedReferences(block.content);
    const { source } = block;
    if (!isPlainObject(source) || source.type !== "blob" || !HASH.test(String(source.hash))) return [];
    return [
      { hash: String(source.hash), size: Number(source.size) || 0, path: [], as: "reference" as const },
    ];
  });
}

const SAMPLE_BYTES = 64 * 1024;
/** Data that does not shrink by a tenth stays uncompressed, because it is read faster. */
const WORTH_IT = 0.9;

export function worthCompressing(bytes: Uint8Array): boolean {
  const sample = bytes.subarray(0, SAMPLE_BYTES);
  return compressFrame(sample).length < sample.length * WORTH_IT;
}

/** A frame with a checksum, so that damage is noticed on reading. */
export function compressFrame(bytes: Uint8Array): Buffer {
  const { constants, zstdCompressSync } = zlib();
  return zstdCompressSync(bytes, { params: { [constants.ZSTD_c_checksumFlag]: 1 } });
}

function compress(bytes: Buffer): Pick<NewBlob, "encoding" | "data"> {
  // A small part is compressed once instead of being tried first.
  const data = bytes.length <= SAMPLE_BYTES || worthCompressing(bytes) ? compressFrame(bytes) : bytes;
  return data.length < bytes.length * WORTH_IT
    ? { encoding: "zstd", data }
    : { encoding: "none", data: bytes };
}

type Found = Buffer | "missing" | "damaged";

/** Put the large parts of entries back where they belong. Missing parts are flagged, and the rest is still read. */
export async function inlineBlobs(
  store: StoreAccess,
  entries: readonly StoredEntry[],
): Promise<StoredEntry[]> {
  const read = new Map<string, Promise<Found>>();
  const bytesOf = ({ hash, size }: BlobRef): Promise<Found> => {
    const known = read.get(hash) ?? readWhole(store, hash, size);
    read.set(hash, known);
    return known;
  };
  return Promise.all(entries.map((entry) => (entry.blobs === undefined ? entry : inlined(entry, bytesOf))));
}

async function inlined(
  { blobs = [], ...entry }: StoredEntry,
  bytesOf: (ref: BlobRef) => Promise<Found>,
): Promise<StoredEntry> {
  const flags = new Set(entry.flags);
  for (const ref of blobs) {
    const { path, as } = ref;
    if (as === "reference") continue;
    const found = await bytesOf(ref);
    if (typeof found === "string") flags.add(`blob-${found}`);
    else setAt(entry.message ?? entry.data, path, found.toString(as === "base64" ? "base64" : "utf8"));
  }
  return flags.size === 0 ? entry : { ...entry, flags: [...flags] };
}

/** An entry with texts put where its references are; those that are `undefined` stay out. */
export function withTexts(entry: StoredEntry, texts: readonly (string | undefined)[]): StoredEntry {
  const copy = structuredClone(entry);
  for (const [index, { path }] of (entry.blobs ?? []).entries()) {
    const text = texts[index];
    if (text !== undefined) setAt(copy.message ?? copy.data, path, text);
  }
  return copy;
}

/** The size is the one in the entry: the one that is stored with the blob may be damaged. */
async function readWhole(store: StoreAccess, hash: string, size: number): Promise<Found> {
  try {
    const part = await store.ask((engine) => engine.blob(hash, 0, Number.MAX_SAFE_INTEGER));
    if (part === undefined) return "missing";
    const bytes =
      part.encoding === "zstd"
        ? zlib().zstdDecompressSync(part.data, { maxOutputLength: Math.max(1, size) })
        : Buffer.from(part.data);
    return hashOf(bytes) === hash ? bytes : "damaged";
  } catch {
    // The error of a store that was closed meanwhile is passed on.
    await store.ask(() => undefined);
    return "damaged";
  }
}

function hashOf(bytes: Uint8Array): string {
  return sha256Hex(bytes);
}

/** A copy in which the string at the end of the path is empty. Everything beside the path is shared. */
function emptied(value: unknown, path: Path, depth: number): unknown {
  if (depth === path.length) return "";
  const step = path[depth] as string | number;
  const copy = (Array.isArray(value) ? [...value] : { ...(value as object) }) as Record<
    string | number,
    unknown
  >;
  copy[step] = emptied(copy[step], path, depth + 1);
  return copy;
}

/** `path` leads from the message to a string. */
function setAt(value: unknown, path: Path, text: string): void {
  let place = value as Record<string | number, unknown>;
  // A file from another program may contain anything.
  if (path.includes("__proto__")) return;
  for (const step of path.slice(0, -1)) {
    const next = place?.[step];
    if (typeof next !== "object" || next === null) return;
    place = next as Record<string | number, unknown>;
  }
  const last = path.at(-1);
  if (last !== undefined) place[last] = text;
}
