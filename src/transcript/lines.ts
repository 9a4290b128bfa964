/**
 * Encodes and decodes a line of a v2 transcript.
 *
 * The last property of every line is `_sum`, the CRC-32 of the bytes before
 * `,"_sum"`. Most single-bit flips leave valid JSON behind, so a line that
 * parses may still be damaged. The format is described in docs/format/jsonl-v2.md.
 */
import { crc32 } from "node:zlib";
import type { BlobRef, Message, StoredEntry } from "../message/types.ts";
import { MAIN } from "../tree/tree.ts";
import type { Json, JsonObject } from "../util/json.ts";

const FORMAT_VERSION = 2;
const GAP_TYPE = "gap";

/** The first line of a transcript. */
export interface Header {
  readonly id: string;
  readonly key: string | null;
  readonly createdAt: string;
  /** Counts the rewrites by `replaceTranscript`; the first is 1. */
  readonly generation: number;
}

/** Takes the place of lines that are lost. A repair writes it, so that what follows them stays marked. */
export interface Gap {
  /** Each of them had a `seq`. */
  readonly lines: number;
  /** The file that the lines were moved to, if they were there. */
  readonly aside: string | null;
}

/** An entry without a place. `json` is its message, or its data for other kinds. */
export interface EntryDraft {
  readonly id: string;
  readonly kind: string;
  readonly at: string;
  readonly json: string;
  /** `json`, parsed. Present for kinds other than `message`. */
  readonly data?: JsonObject | undefined;
  readonly blobs?: readonly BlobRef[] | undefined;
}

export interface LinePlace {
  readonly seq: number;
  readonly parentId: string | null;
  /** Left out for `MAIN`. */
  readonly branch?: number;
  readonly operationId: string | undefined;
  /** Number of the line in its atomic append, and the number of lines, if there are several. */
  readonly batch: readonly [number, number] | undefined;
}

export type DecodedLine =
  | { readonly ok: true; readonly header: Header; readonly gap?: undefined; readonly entry?: undefined }
  | { readonly ok: true; readonly header?: undefined; readonly gap: Gap; readonly entry?: undefined }
  | {
      readonly ok: true;
      readonly header?: undefined;
      readonly gap?: undefined;
      readonly entry: StoredEntry;
      readonly branch: number;
      readonly batch: readonly [number, number] | undefined;
    }
  | { readonly ok: false; readonly reason: string; readonly newer?: boolean };

// ,"_sum":"01234567"}
const SUM_START = Buffer.from(',"_sum":"');
const SUM_BYTES = SUM_START.length + 8 + 2;
const COMMA = 0x2c;
const QUOTE = 0x22;
const BRACE = 0x7d;

/** Complete a JSON object that lacks its last brace with the checksum and a newline. */
function seal(open: string): Buffer {
  const body = Buffer.byteLength(open);
  const line = Buffer.allocUnsafe(body + SUM_BYTES + 1);
  line.write(open, 0, "utf8");
  const sum = crc32(line.subarray(0, body)).toString(16).padStart(8, "0");
  line.write(`,"_sum":"${sum}"}\n`, body, "latin1");
  return line;
}

/** Check the checksum of a line without its newline. */
export function checkSum(line: Buffer): "right" | "wrong" | "none" {
  const start = line.length - SUM_BYTES;
  if (start < 1) return "none";
  for (let index = 0; index < SUM_START.length; index++) {
    if (line[start + index] !== SUM_START[index]) return "none";
  }
  if (line[line.length - 2] !== QUOTE || line[line.length - 1] !== BRACE) return "none";
  return crc32(line.subarray(0, start)) === hexAt(line, start + SUM_START.length) ? "right" : "wrong";
}

/** The value of eight lowercase hexadecimal digits; -1 for anything else. */
function hexAt(line: Buffer, position: number): number {
  let value = 0;
  for (let index = position; index < position + 8; index++) {
    const byte = line[index] as number;
    const digit =
      byte >= 0x30 && byte <= 0x39 ? byte - 0x30 : byte >= 0x61 && byte <= 0x66 ? byte - 0x57 : -1;
    if (digit === -1) return -1;
    value = value * 16 + digit;
  }
  return value;
}

/** One object with its checksum, for files that hold a single object. */
export function sealObject(value: object): Buffer {
  return seal(JSON.stringify(value).slice(0, -1));
}

export function encodeHeader(header: Header): Buffer {
  return sealObject({
    _type: "metadata",
    version: FORMAT_VERSION,
    tree_enabled: true,
    id: header.id,
    key: header.key,
    created_at: header.createdAt,
    generation: header.generation,
    sum: "crc32",
  });
}

export function encodeGap({ lines, aside }: Gap): Buffer {
  return sealObject({ _type: GAP_TYPE, lines, aside });
}

/** The JSON of the message is copied: it was serialised once, when it was checked. */
export function encodeEntry(draft: EntryDraft, place: LinePlace): Buffer {
  let text =
    draft.kind === "message"
      ? draft.json.slice(0, -1)
      : `{"_type":${JSON.stringify(draft.kind)},"data":${draft.json}`;
  text += `,"timestamp":"${draft.at}","id":${JSON.stringify(draft.id)}`;
  text += `,"parent_id":${JSON.stringify(place.parentId)},"seq":${place.seq}`;
  if (place.branch) text += `,"branch":${place.branch}`;
  if (place.operationId !== undefined) text += `,"op":${JSON.stringify(place.operationId)}`;
  if (draft.blobs?.length) text += `,"blobs":${JSON.stringify(draft.blobs)}`;
  if (place.batch !== undefined) text += `,"batch":[${place.batch[0]},${place.batch[1]}]`;
  return seal(text);
}

/** The line without its property `batch`, which a complete append no longer needs. */
export function withoutBatch(line: Buffer): Buffer {
  const { batch: _, ...members } = JSON.parse(withoutSum(line)) as Record<string, Json>;
  return sealObject(members);
}

/** Decode a line without its newline. Never throws. */
export function decodeLine(line: Buffer): DecodedLine {
  const sum = checkSum(line);
  if (sum !== "right")
    return { ok: false, reason: sum === "none" ? "no checksum" : "checksum does not match" };
  let value: Record<string, Json>;
  try {
    value = JSON.parse(withoutSum(line));
  } catch {
    return { ok: false, reason: "not JSON" };
  }
  if (typeof value !== "object" || value === null) return { ok: false, reason: "not an object" };
  if (value._type === "metadata") return decodeHeader(value);
  return value._type === GAP_TYPE && value.id === undefined ? decodeGap(value) : decodeEntry(value);
}

/** The JSON without the checksum, which need not be parsed. The line is unchanged afterwards. */
function withoutSum(line: Buffer): string {
  const start = line.length - SUM_BYTES;
  line[start] = BRACE;
  const text = line.toString("utf8", 0, start + 1);
  line[start] = COMMA;
  return text;
}

function decodeGap({ lines, aside }: Record<string, Json>): DecodedLine {
  const isCount = typeof lines === "number" && Number.isSafeInteger(lines) && lines >= 0;
  if (!isCount) return { ok: false, reason: "not a gap: lines is missing" };
  return { ok: true, gap: { lines, aside: typeof aside === "string" ? aside : null } };
}

function decodeHeader(value: Record<string, Json>): DecodedLine {
  const { version, id, key, created_at, generation } = value;
  if (typeof version === "number" && version > FORMAT_VERSION) {
    return { ok: false, reason: `version ${version} is newer than this program knows`, newer: true };
  }
  if (version !== FORMAT_VERSION || typeof id !== "string" || typeof created_at !== "string") {
    return { ok: false, reason: "not a header of version 2" };
  }
  const header: Header = {
    id,
    key: typeof key === "string" ? key : null,
    createdAt: created_at,
    generation: typeof generation === "number" ? generation : 1,
  };
  return { ok: true, header };
}

function decodeEntry(value: Record<string, Json>): DecodedLine {
  const { _type, id, seq, parent_id, timestamp, op, batch, branch, blobs } = value;
  if (typeof id !== "string" || typeof seq !== "number" || typeof timestamp !== "string") {
    return { ok: false, reason: "not an entry: id, seq or timestamp is missing" };
  }
  const parentId = typeof parent_id === "string" ? parent_id : null;
  const kind = typeof _type === "string" ? _type : "message";
  const entry: Mutable<StoredEntry> =
    _type === undefined
      ? { id, seq, parentId, kind, at: timestamp, message: messageOf(value) }
      : { id, seq, parentId, kind, at: timestamp, data: value.data };
  if (typeof op === "string") entry.operationId = op;
  if (Array.isArray(blobs)) entry.blobs = blobs as unknown as BlobRef[];
  return {
    ok: true,
    entry,
    branch: typeof branch === "number" ? branch : MAIN,
    batch: Array.isArray(batch) ? (batch as unknown as [number, number]) : undefined,
  };
}

type Mutable<T> = { -readonly [property in keyof T]: T[property] };

const MESSAGE_PROPERTIES = [
  "model",
  "usage",
  "stopReason",
  "endState",
  "provenance",
  "source",
  "extra",
] as const;

function messageOf(value: Record<string, Json>): Message {
  const { role, content, model, usage, stopReason, endState, provenance, source, extra } = value;
  const message = { role, content } as unknown as Message;
  // Spelled out, because most messages have none of them, and a look-up by name costs more than the rest.
  const others = model ?? usage ?? stopReason ?? endState ?? provenance ?? extra;
  if (others === undefined && source === undefined) return message;
  for (const member of MESSAGE_PROPERTIES) {
    const found = value[member];
    if (found !== undefined) (message as unknown as Record<string, Json>)[member] = found;
  }
  return message;
}
