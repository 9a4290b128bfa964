/**
 * What all conversions share.
 *
 * A conversion is a pair of plain functions, `read` and `write`, that need not
 * be exact. Exactness is added here, once, by trying the way back: what `write`
 * would not restore of a foreign message is kept in `extra.<format>`, and what
 * `read` would not restore of ours travels in `_colloquy`. Both are laid over
 * the result only while they still agree with the content beside them, so an
 * edited message never comes back in its old form.
 */
import { isDeepStrictEqual } from "node:util";
import { invalid } from "../errors.ts";
import { assertJson, isJsonObject, isPlainObject, type Json, type JsonObject } from "../util/json.ts";
import { blocksOf } from "./blocks.ts";
import type { Message, MessageInput } from "./types.ts";

export interface ConvertOptions {
  /** Keep everything of ours, in a member `_colloquy` where the format has no place. Not for sending. */
  readonly lossless?: boolean;
}

/** What stands for blocks that a format cannot hold, where nothing else would be left. */
export function placeholder(blocks: readonly JsonObject[]): string {
  const types = blocks.map(({ type }) => (typeof type === "string" ? type : "block"));
  return types.length === 0 ? "" : `[${types.join(", ")}]`;
}

/** One foreign format. A unit is the run of foreign messages that one of ours stands for, mostly one. */
export interface Format {
  readonly name: string;
  readonly roles: ReadonlySet<unknown>;
  accepts(content: unknown): boolean;
  read(unit: readonly JsonObject[]): MessageInput;
  write(message: MessageInput): JsonObject[];
  /** Whether two neighbours belong to one unit. */
  joins(before: JsonObject, after: JsonObject): boolean;
}

/** Our own messages, checked before they are written out. */
export const OURS: Pick<Format, "roles" | "accepts"> = {
  roles: new Set(["user", "assistant", "system"]),
  accepts: isContent,
};
const ABSENT = "$absent";
/** Foreign messages hold our content a few levels further down. */
const DEPTH_SLACK = -8;

export function fromForeign(format: Format, messages: readonly object[]): MessageInput[] {
  return units(format, plainList(messages, format)).flatMap((unit) => decode(format, unit));
}

export function toForeign(format: Format, messages: readonly Message[], lossless = false): JsonObject[] {
  const list: JsonObject[] = [];
  for (const message of plainList(messages, OURS) as unknown as MessageInput[]) {
    const unit = encode(format, message);
    list.push(...(lossless ? marked(format, unit, message, list.at(-1)) : unit));
  }
  return list;
}

/** A checked copy: nothing that is returned can change with the argument. */
export function plainList(messages: unknown, { roles, accepts }: typeof OURS): JsonObject[] {
  if (!Array.isArray(messages)) throw invalid("A list of messages is expected", "messages");
  return messages.map((message: unknown, index) => {
    const path = `messages[${index}]`;
    if (!isPlainObject(message)) throw invalid(`${path} must be an object`, path);
    if (!roles.has(message.role)) throw invalid("Invalid message role", `${path}.role`);
    if (!accepts(message.content)) throw invalid("Invalid message content", `${path}.content`);
    const own = defined(message);
    assertJson(own, path, DEPTH_SLACK);
    return JSON.parse(JSON.stringify(own));
  });
}

function units(format: Format, list: readonly JsonObject[]): JsonObject[][] {
  const result: JsonObject[][] = [];
  for (let start = 0; start < list.length; ) {
    const end = unitEnd(format, list, start);
    result.push(list.slice(start, end));
    start = end;
  }
  return result;
}

function unitEnd(format: Format, list: readonly JsonObject[], start: number): number {
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

function decode(format: Format, unit: readonly JsonObject[]): MessageInput[] {
  const [{ _colloquy: hidden, ...first } = {}, ...rest] = unit;
  const plain = [first, ...rest];
  if (!isJsonObject(hidden)) return [decodePlain(format, plain)];
  const { span: _span, ...members } = hidden;
  const whole = laidOver(decodePlain(format, plain), members);
  if (isDeepStrictEqual(encode(format, whole), plain)) return [whole];
  // Somebody edited the foreign messages: their words win, the rest of ours stays.
  const { content: _content, ...beside } = members;
  const [own = plain, ...others] = units(format, plain);
  return [laidOver(decodeUnit(format, own), beside), ...others.flatMap((other) => decode(format, other))];
}

/** What the foreign messages say by themselves. Several units make one message when a span holds them together. */
function decodePlain(format: Format, plain: readonly JsonObject[]): MessageInput {
  const [first, ...rest] = units(format, plain).map((unit) => decodeUnit(format, unit));
  if (first === undefined) throw invalid("A message is expected", "messages");
  if (rest.length === 0) return first;
  return { role: first.role, content: [first, ...rest].flatMap(blocksOf) };
}

function decodeUnit(format: Format, unit: readonly JsonObject[]): MessageInput {
  const message = format.read(unit);
  const [foreign] = unit;
  const [written = {}, ...more] = format.write(message);
  if (unit.length > 1 || foreign === undefined) return message;
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

function saysTheSame(format: Format, unit: readonly JsonObject[], message: MessageInput): boolean {
  if (!format.roles.has(unit[0]?.role) || !format.accepts(unit[0]?.content)) return false;
  const { role, content } = format.read(unit);
  return role === message.role && isDeepStrictEqual(bare(content), bare(message.content));
}

/** Content without what formats noted in its blocks: that is checked block by block. */
function bare(content: MessageInput["content"]): Json {
  if (typeof content === "string") return content;
  return content.map(({ openai: _openai, flat: _flat, ...own }) => own);
}

function marked(
  format: Format,
  unit: readonly JsonObject[],
  message: MessageInput,
  before: JsonObject | undefined,
): readonly JsonObject[] {
  const [first = {}, ...rest] = unit;
  const whole = units(format, unit).length === 1;
  const fused = before !== undefined && format.joins(before, first);
  const hidden = difference(
    decodePlain(format, unit) as unknown as JsonObject,
    message as unknown as JsonObject,
  );
  if (whole && !fused && hidden === undefined) return unit;
  return [{ ...first, _colloquy: { ...hidden, ...(!whole && { span: unit.length }) } }, ...rest];
}

function laidOver(message: MessageInput, members: JsonObject): MessageInput {
  return overlay(message as unknown as JsonObject, members) as unknown as MessageInput;
}

/** What must be laid over `base` to get `wanted`, or `undefined` when they are equal. */
export function difference(base: JsonObject, wanted: JsonObject): JsonObject | undefined {
  const patch: Record<string, Json | undefined> = {};
  for (const [member, value] of Object.entries(wanted)) {
    const before = Object.hasOwn(base, member) ? base[member] : undefined;
    if (isDeepStrictEqual(before, value)) continue;
    patch[member] = isJsonObject(before) && isJsonObject(value) ? difference(before, value) : value;
  }
  const absent = Object.keys(base).filter((member) => !Object.hasOwn(wanted, member));
  if (absent.length > 0) patch[ABSENT] = absent;
  return Object.keys(patch).length === 0 ? undefined : patch;
}

/** `base` with the members of `patch`, objects merged, everything else replaced. */
export function overlay(base: JsonObject, patch: JsonObject): JsonObject {
  const { [ABSENT]: absent, ...members } = patch;
  const result: Record<string, Json | undefined> = { ...base };
  for (const [member, value] of Object.entries(members)) {
    const before = Object.hasOwn(base, member) ? base[member] : undefined;
    result[member] = isJsonObject(before) && isJsonObject(value) ? overlay(before, value) : value;
  }
  for (const member of Array.isArray(absent) ? absent : []) {
    if (typeof member === "string") delete result[member];
  }
  return result;
}

/** Text or blocks. What a block must have is the business of the store. */
export function isContent(content: unknown): boolean {
  return typeof content === "string" || (Array.isArray(content) && content.every(isPlainObject));
}

export function defined(members: Record<string, unknown>): JsonObject {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as JsonObject;
}
