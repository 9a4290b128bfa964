/**
 * What may be stored, checked once, before any input or output.
 *
 * These checks are written by hand: they are in the path of every append and
 * of every start of the command, where a schema library costs more than all
 * the rest together (docs/decisions/003).
 */
import { invalid } from "../errors.ts";
import { assertJson, isPlainObject, type Json } from "../util/json.ts";
import { parseTime } from "../util/time.ts";
import { isUuid } from "../util/uuid.ts";
import type { Block, Message } from "./types.ts";

const TITLE_CHARS_MAX = 120;
const ENTRY_ID_BYTES_MAX = 256;
const KEY_BYTES_MAX = 512;
const NAME_BYTES_MAX = 256;

const ROLES: ReadonlySet<unknown> = new Set(["user", "assistant", "system"]);
const END_STATES: ReadonlySet<unknown> = new Set(["finished", "stopped", "interrupted"]);

/** A message that passed every check, with the JSON text that is stored. */
export interface CheckedMessage {
  readonly id: string | undefined;
  readonly atMs: number | undefined;
  readonly message: Message;
  readonly json: string;
}

/** Members that a message may have. One that is not here is refused, because nothing would read it back. */
const MEMBERS: ReadonlyMap<string, (value: Json) => boolean> = new Map([
  ["model", isString],
  ["usage", isObject],
  ["stopReason", isString],
  ["endState", (value: Json) => END_STATES.has(value)],
  ["provenance", isObject],
  ["source", () => true],
  ["extra", isObject],
]);

/** What the store keeps of a message that was made of parsed JSON of a bounded depth: only its shape can be wrong. */
export function checkShape({ role, content }: Message): void {
  if (!ROLES.has(role)) throw invalid("Invalid message role", "role");
  if (typeof content === "string") checkText(content);
  else if (Array.isArray(content)) checkBlocks(content);
  else throw invalid("Message content required", "content");
}

export function checkMessage(input: unknown): CheckedMessage {
  if (!isPlainObject(input)) throw invalid("A message must be an object", "message");
  const { role, content, id, at } = input;
  if (!ROLES.has(role)) throw invalid("Invalid message role", "role");
  checkContent(content);
  const message: Record<string, unknown> = { role, content };
  for (const member of Object.keys(input)) {
    const value = input[member];
    if (
      value === undefined ||
      member === "role" ||
      member === "content" ||
      member === "id" ||
      member === "at"
    )
      continue;
    const accepts = MEMBERS.get(member);
    if (accepts === undefined) {
      throw invalid(
        `Unknown message member "${member}"; put what has no place of its own into "extra"`,
        member,
      );
    }
    assertJson(value, member);
    if (!accepts(value)) throw invalid(`Invalid message ${member}`, member);
    message[member] = value;
  }
  const json = JSON.stringify(message);
  return {
    id: id === undefined ? undefined : checkEntryId(id),
    atMs: at === undefined ? undefined : checkTime(at, "at"),
    message: detach(message as unknown as Message, json),
    json,
  };
}

/** A copy that neither changes with the caller's value nor changes it. Text alone needs no parsing. */
function detach(message: Message, json: string): Message {
  return typeof message.content === "string" && Object.keys(message).length === 2
    ? message
    : JSON.parse(json);
}

function checkContent(content: unknown): asserts content is string | Block[] {
  if (typeof content === "string") return checkText(content);
  if (!Array.isArray(content)) throw invalid("Message content required", "content");
  assertJson(content, "content");
  checkBlocks(content);
}

function checkText(content: string): void {
  if (content.trim() === "") throw invalid("Message content required", "content");
}

function checkBlocks(content: readonly unknown[]): void {
  let empty = true;
  content.forEach((block, index) => {
    checkBlock(block, `content[${index}]`);
    const { type, text } = block as { type: string; text?: string };
    if (type !== "text" || text?.trim() !== "") empty = false;
  });
  if (empty) throw invalid("Message content required", "content");
}

function checkBlock(block: unknown, path: string): void {
  if (!isPlainObject(block)) throw invalid(`${path} must be a block`, path);
  if (typeof block.type !== "string" || block.type === "")
    throw invalid(`${path} has no type`, `${path}.type`);
  for (const [member, accepts] of BLOCK_MEMBERS[block.type] ?? []) {
    if (!accepts(block[member])) {
      throw invalid(`${path} is a ${block.type} block with a wrong ${member}`, `${path}.${member}`);
    }
  }
}

type Check = (value: unknown) => boolean;
const BLOCK_MEMBERS: Readonly<Record<string, readonly (readonly [string, Check])[]>> = Object.assign(
  Object.create(null),
  {
    text: [["text", isString]],
    image: [["source", isObject]],
    document: [["source", isObject]],
    thinking: [["thinking", isString]],
    redacted_thinking: [["data", isString]],
    tool_use: [
      ["id", isFilled],
      ["name", isFilled],
      ["input", isObject],
    ],
    tool_result: [
      ["tool_use_id", isFilled],
      ["content", isToolContent],
    ],
  },
);

function isString(value: unknown): value is string {
  return typeof value === "string";
}
function isFilled(value: unknown): boolean {
  return typeof value === "string" && value !== "";
}
function isObject(value: unknown): boolean {
  return isPlainObject(value);
}
function isToolContent(value: unknown): boolean {
  return value === undefined || isString(value) || (Array.isArray(value) && value.every(isPlainObject));
}

/** Require a plain object with no properties other than these: a misspelled option must not be ignored silently. */
export function checkProperties(value: unknown, allowed: ReadonlySet<string>, field: string): void {
  if (!isPlainObject(value)) throw invalid(`${field} must be an object`, field);
  const unknown = Object.keys(value).find((name) => !allowed.has(name));
  if (unknown !== undefined) throw invalid(`Unknown property "${unknown}" in ${field}`, unknown);
}

export function checkConversationId(id: unknown): string {
  if (!isUuid(id)) throw invalid("Invalid conversation id", "id");
  return id.toLowerCase();
}

export function checkEntryId(id: unknown, field = "id"): string {
  return checkName(id, field, "entry id", ENTRY_ID_BYTES_MAX);
}

export function checkOperationId(id: unknown): string {
  return checkName(id, "operationId", "operation id", ENTRY_ID_BYTES_MAX);
}

/** A session key: `<channel>:<rest>`. */
export function checkKey(key: unknown): string {
  const name = checkName(key, "key", "session key", KEY_BYTES_MAX);
  const colon = name.indexOf(":");
  if (colon < 1 || colon === name.length - 1) {
    throw invalid(`Invalid session key "${name}": it has the form <channel>:<rest>`, "key");
  }
  return name;
}

export function checkTitle(title: unknown): string {
  if (typeof title !== "string" || !title.isWellFormed()) throw invalid("Title must be text", "title");
  // Characters as a person counts them are graphemes; code points are close and cheap.
  if ([...title].length > TITLE_CHARS_MAX) {
    throw invalid(`Title must be ${TITLE_CHARS_MAX} chars or less`, "title");
  }
  return title;
}

/** A short name from outside, such as a model or a channel. */
export function checkLabel(value: unknown, field: string): string {
  return checkName(value, field, field, NAME_BYTES_MAX);
}

function checkTime(value: unknown, field: string): number {
  const ms = parseTime(value);
  if (ms === undefined) throw invalid(`Invalid time in ${field}: ISO 8601 is expected`, field);
  return ms;
}

function checkName(value: unknown, field: string, what: string, bytesMax: number): string {
  if (typeof value !== "string" || value === "") throw invalid(`Invalid ${what}: text is expected`, field);
  if (!value.isWellFormed() || hasControl(value)) {
    throw invalid(`Invalid ${what}: it has control characters or half a surrogate pair`, field);
  }
  if (Buffer.byteLength(value) > bytesMax)
    throw invalid(`Invalid ${what}: longer than ${bytesMax} bytes`, field);
  return value;
}

function hasControl(text: string): boolean {
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit < 0x20 || unit === 0x7f) return true;
  }
  return false;
}
