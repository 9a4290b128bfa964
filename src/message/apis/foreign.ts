/**
 * The part that all conversions share.
 *
 * A conversion is a pair of plain functions, `read` and `write`, that need not
 * be exact. Exactness is added here, once, by trying the way back: properties
 * of a foreign message that `write` would not restore are kept in
 * `extra.<format>`, and properties of ours that `read` would not restore travel
 * in `_colloquy`. Both are applied to the result only while they agree with the
 * content beside them, so an edited message never comes back in its old form.
 */
import { isDeepStrictEqual } from "node:util";
import { invalid } from "../../errors.ts";
import {
  assertJson,
  defined,
  isJsonObject,
  isPlainObject,
  type Json,
  type JsonObject,
} from "../../util/json.ts";
import { blocksOf } from "../blocks.ts";
import { ROLES } from "../rules.ts";
import type { Message, MessageInput } from "../types.ts";

export interface ConvertOptions {
  /** Keep every property of ours, in `_colloquy` where the format has no place for it. Not for sending. */
  readonly lossless?: boolean;
}

/** Names blocks that a format cannot hold, where a message would be empty without them. */
export function placeholder(blocks: readonly JsonObject[]): string {
  const types = blocks.map(({ type }) => (typeof type === "string" ? type : "block"));
  return types.length === 0 ? "" : `[${types.join(", ")}]`;
}

/** One foreign format. A group is the run of foreign messages, mostly one, that becomes one of ours. */
export interface Format {
  readonly name: string;
  readonly roles: ReadonlySet<unknown>;
  accepts(content: unknown): boolean;
  read(group: readonly JsonObject[]): MessageInput;
  write(message: MessageInput): JsonObject[];
  /** Whether two adjacent messages belong to one group. */
  joins(before: JsonObject, after: JsonObject): boolean;
}

/** Our own messages, checked before they are converted. */
export const OURS: Pick<Format, "roles" | "accepts"> = {
  roles: new Set(ROLES),
  accepts: isContent,
};
const ABSENT = "$absent";
/** Foreign messages nest our content a few levels deeper. */
const DEPTH_SLACK = -8;

export function fromForeign(format: Format, messages: readonly object[]): MessageInput[] {
  return groups(format, plainList(messages, format)).flatMap((group) => decode(format, group));
}

export function toForeign(format: Format, messages: readonly Message[], lossless = false): JsonObject[] {
  const list: JsonObject[] = [];
  for (const message of plainList(messages, OURS) as unknown as MessageInput[]) {
    const group = encode(format, message);
    list.push(...(lossless ? marked(format, group, message, list.at(-1)) : group));
  }
  return list;
}

/** A checked copy that shares no objects with the argument. */
export function plainList(messages: unknown, { roles, accepts }: typeof OURS): JsonObject[] {
  if (!Array.isArray(messages)) throw invalid("messages must be an array", "messages");
  return messages.map((message: unknown, index) => {
    const path = `messages[${index}]`;
    if (!isPlainObject(message)) throw invalid(`${path} must be an object`, path);
    if (!roles.has(message.role)) throw invalid("Invalid message role", `${path}.role`);
    if (!accepts(message.content)) throw invalid("Invalid message content", `${path}.content`);
    const own = defined(message) as JsonObject;
    assertJson(own, path, DEPTH_SLACK);
    return hasParts(own) ? JSON.parse(JSON.stringify(own)) : own;
  });
}

function hasParts(message: JsonObject): boolean {
  return Object.values(message).some((value) => typeof value === "object" && value !== null);
}

function groups(format: Format, list: readonly JsonObject[]): JsonObject[][] {
  const result: JsonObject[][] = [];
  for (let start = 0; start < list.length; ) {
    const end = groupEnd(format, list, start);
    result.push(list.slice(start, end));
    start = end;
  }
  return result;
}

function groupEnd(format: Format, list: readonly JsonObject[], start: number): number {
  const span = spanOf(list[start] ?? {});
  if (span > 0) return Math.min(start + span, list.length);
  let end = start + 1;
  for (let before = list[start]; before !== undefined; end++) {
    const after = list[end];
    if (after === undefined || after._colloquy !== undefined || !format.joins(before, after)) break;
    before = after;
  }
  return end;
}

function spanOf(message: JsonObject): number {
  const hidden = message._colloquy;
  return isPlainObject(hidden) && Number.isSafeInteger(hidden.span) ? Number(hidden.span) : 0;
}

function decode(format: Format, group: readonly JsonObject[]): MessageInput[] {
  const [{ _colloquy: hidden, ...first } = {}, ...rest] = group;
  const plain = [first, ...rest];
  if (!isJsonObject(hidden)) return [decodePlain(format, plain)];
  const { span: _span, ...own } = hidden;
  const whole = laidOver(decodePlain(format, plain), own);
  if (isDeepStrictEqual(encode(format, whole), plain)) return [whole];
  // The foreign messages were edited: their content wins, the rest of ours stays.
  const { content: _content, ...beside } = own;
  const [edited = plain, ...others] = groups(format, plain);
  return [laidOver(decodeGroup(format, edited), beside), ...others.flatMap((other) => decode(format, other))];
}

/** The message without `_colloquy`. Several groups make one message when a span holds them together. */
function decodePlain(format: Format, plain: readonly JsonObject[]): MessageInput {
  const [first, ...rest] = groups(format, plain).map((group) => decodeGroup(format, group));
  if (first === undefined) throw invalid("Expected a message", "messages");
  if (rest.length === 0) return first;
  return { role: first.role, content: [first, ...rest].flatMap(blocksOf) };
}

function decodeGroup(format: Format, group: readonly JsonObject[]): MessageInput {
  const message = format.read(group);
  const [foreign] = group;
  const [written = {}, ...more] = format.write(message);
  if (group.length > 1 || foreign === undefined) return message;
  const rest = difference(written, foreign) ?? (more.length > 0 ? {} : undefined);
  return rest === undefined ? message : { ...message, extra: { [format.name]: rest } };
}

function encode(format: Format, message: MessageInput): JsonObject[] {
  const written = format.write(message);
  const rest = message.extra?.[format.name];
  if (!isPlainObject(rest)) return written;
  const whole = [overlay(written[0] ?? {}, rest as JsonObject)];
  return saysTheSame(format, whole, message) ? whole : written;
}

function saysTheSame(format: Format, group: readonly JsonObject[], message: MessageInput): boolean {
  if (!format.roles.has(group[0]?.role) || !format.accepts(group[0]?.content)) return false;
  const { role, content } = format.read(group);
  return role === message.role && isDeepStrictEqual(bare(content), bare(message.content));
}

/** Content without the notes of formats in its blocks, which are checked block by block. */
function bare(content: MessageInput["content"]): Json {
  if (typeof content === "string") return content;
  return content.map(({ openai: _openai, flat: _flat, ...own }) => own);
}

function marked(
  format: Format,
  group: readonly JsonObject[],
  message: MessageInput,
  before: JsonObject | undefined,
): readonly JsonObject[] {
  const [first = {}, ...rest] = group;
  const whole = groups(format, group).length === 1;
  const fused = before !== undefined && format.joins(before, first);
  const hidden = difference(
    decodePlain(format, group) as unknown as JsonObject,
    message as unknown as JsonObject,
  );
  if (whole && !fused && hidden === undefined) return group;
  return [{ ...first, _colloquy: { ...hidden, ...(!whole && { span: group.length }) } }, ...rest];
}

function laidOver(message: MessageInput, patch: JsonObject): MessageInput {
  return overlay(message as unknown as JsonObject, patch) as unknown as MessageInput;
}

/** The patch that turns `base` into `wanted`; `undefined` when they are equal. */
export function difference(base: JsonObject, wanted: JsonObject): JsonObject | undefined {
  const patch: Record<string, Json | undefined> = {};
  for (const [name, value] of Object.entries(wanted)) {
    const before = Object.hasOwn(base, name) ? base[name] : undefined;
    if (isDeepStrictEqual(before, value)) continue;
    patch[name] = isJsonObject(before) && isJsonObject(value) ? difference(before, value) : value;
  }
  const absent = Object.keys(base).filter((name) => !Object.hasOwn(wanted, name));
  if (absent.length > 0) patch[ABSENT] = absent;
  return Object.keys(patch).length === 0 ? undefined : patch;
}

/** `base` with the properties of `patch`: objects are merged, everything else is replaced. */
export function overlay(base: JsonObject, patch: JsonObject): JsonObject {
  const { [ABSENT]: absent, ...changed } = patch;
  const result: Record<string, Json | undefined> = { ...base };
  for (const [name, value] of Object.entries(changed)) {
    const before = Object.hasOwn(base, name) ? base[name] : undefined;
    result[name] = isJsonObject(before) && isJsonObject(value) ? overlay(before, value) : value;
  }
  for (const name of Array.isArray(absent) ? absent : []) {
    if (typeof name === "string") delete result[name];
  }
  return result;
}

/** A string or blocks. The store checks the properties of blocks. */
export function isContent(content: unknown): boolean {
  return typeof content === "string" || (Array.isArray(content) && content.every(isPlainObject));
}
