/**
 * Checks everything that is stored, once, before any I/O.
 *
 * Made from the rules that the JSON Schema is made from too. Without a schema
 * library, because callers rely on the exact errors (docs/decisions/003).
 */
import { invalid } from "../errors.ts";
import { checkBytes, checkText, KEY_BYTES_MAX } from "../util/checked-text.ts";
import { assertJson, isPlainObject } from "../util/json.ts";
import { parseTime } from "../util/time.ts";
import { isUuid } from "../util/uuid.ts";
import {
  BLOCK_RULES,
  END_STATES,
  ENTRY_ID_BYTES_MAX,
  isRole,
  MESSAGE_RULES,
  type ValueRule,
} from "./rules.ts";
import { isInvisible, NOT_IN_A_LINE, TITLE_CHARS_MAX } from "./title.ts";
import type { Message } from "./types.ts";

const NAME_BYTES_MAX = 256;

/** A message that passed every check, with the JSON text that is stored. */
export interface CheckedMessage {
  readonly id: string | undefined;
  readonly atMs: number | undefined;
  readonly message: Message;
  readonly json: string;
}

type Check = (value: unknown) => boolean;

const CHECKS: Readonly<Record<ValueRule, Check>> = {
  string: isString,
  filled: (value) => isString(value) && value !== "",
  object: isPlainObject,
  content: (value) =>
    value === undefined || isString(value) || (Array.isArray(value) && value.every(isPlainObject)),
  endState: isOneOf(END_STATES),
  any: () => true,
};
const MESSAGE_CHECKS: ReadonlyMap<string, Check> = new Map(checksOf(MESSAGE_RULES));
export const BLOCK_CHECKS: ReadonlyMap<string, readonly (readonly [string, Check])[]> = new Map(
  Object.entries(BLOCK_RULES).map(([type, rules]) => [type, checksOf(rules)]),
);
/** Properties of a message input that are checked one by one. */
const CHECKED_APART: ReadonlySet<string> = new Set(["role", "content", "id", "at"]);

function isString(value: unknown): value is string {
  return typeof value === "string";
}

function isOneOf(words: readonly unknown[]): Check {
  const known = new Set(words);
  return (value) => known.has(value);
}

function checksOf(rules: Readonly<Record<string, ValueRule>>): [string, Check][] {
  return Object.entries(rules).map(([name, rule]) => [name, CHECKS[rule]]);
}

/** Check role and content of a message made from parsed JSON of bounded depth: nothing else can be wrong. */
export function checkShape({ role, content }: { readonly role: unknown; readonly content: unknown }): void {
  if (!isRole(role)) throw invalid("Invalid message role", "role");
  if (isString(content) ? content.trim() === "" : !Array.isArray(content)) throw noContent();
  if (Array.isArray(content)) checkBlocks(content);
}

export function checkMessage(input: unknown): CheckedMessage {
  if (!isPlainObject(input)) throw invalid("A message must be an object", "message");
  const { role, content, id, at } = input;
  if (isRole(role) && Array.isArray(content)) assertJson(content, "content");
  checkShape({ role, content });
  const message: Record<string, unknown> = { role, content };
  for (const name of Object.keys(input)) {
    const value = input[name];
    if (value === undefined || CHECKED_APART.has(name)) continue;
    const accepts = MESSAGE_CHECKS.get(name);
    if (accepts === undefined) {
      throw invalid(`Unknown message property "${name}". Put custom properties in "extra"`, name);
    }
    assertJson(value, name);
    if (!accepts(value)) throw invalid(`Invalid message ${name}`, name);
    message[name] = value;
  }
  const json = JSON.stringify(message);
  return {
    id: id === undefined ? undefined : checkEntryId(id),
    atMs: at === undefined ? undefined : checkTime(at, "at"),
    message: detach(message, json),
    json,
  };
}

/** A copy that does not share objects with the caller's. Strings need no parsing. */
function detach(message: object, json: string): Message {
  const { content } = message as Message;
  return isString(content) && Object.keys(message).length === 2 ? (message as Message) : JSON.parse(json);
}

function noContent(): Error {
  return invalid("Message content required", "content");
}

function checkBlocks(content: readonly unknown[]): void {
  let isEmpty = true;
  content.forEach((block, index) => {
    checkBlock(block, `content[${index}]`);
    const { type, text } = block as { type: string; text?: string };
    if (type !== "text" || text?.trim() !== "") isEmpty = false;
  });
  if (isEmpty) throw noContent();
}

function checkBlock(block: unknown, path: string): void {
  if (!isPlainObject(block)) throw invalid(`${path} must be a block`, path);
  const { type } = block;
  if (!isString(type) || type === "") throw invalid(`${path} has no type`, `${path}.type`);
  for (const [name, accepts] of BLOCK_CHECKS.get(type) ?? []) {
    if (!accepts(block[name])) {
      throw invalid(`${path} is a ${type} block with an invalid ${name}`, `${path}.${name}`);
    }
  }
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

/** Check a session key: `<channel>:<rest>`. */
export function checkKey(key: unknown): string {
  const name = checkName(key, "key", "session key", KEY_BYTES_MAX);
  const colon = name.indexOf(":");
  if (colon < 1 || colon === name.length - 1) {
    throw invalid(`Invalid session key "${name}": expected <channel>:<rest>`, "key");
  }
  return name;
}

/** Check a title. `titleIn` makes one of any text. */
export function checkTitle(title: unknown): string {
  if (typeof title !== "string" || !title.isWellFormed())
    throw invalid("Title must be a string without half surrogate pairs", "title");
  if (isInvisible(title)) throw invalid("Title must not be empty; null removes it", "title");
  if (NOT_IN_A_LINE.test(title)) throw invalid("Title must not contain control characters", "title");
  // Users count graphemes; code points are close to that and cheap.
  if ([...title].length > TITLE_CHARS_MAX) {
    throw invalid(`Title must be ${TITLE_CHARS_MAX} chars or less`, "title");
  }
  return title;
}

/** Check a short name from outside, such as a model or a channel. */
export function checkLabel(value: unknown, field: string): string {
  return checkName(value, field, field, NAME_BYTES_MAX);
}

function checkTime(value: unknown, field: string): number {
  const ms = parseTime(value);
  if (ms === undefined) throw invalid(`Invalid time in ${field}: expected ISO 8601`, field);
  return ms;
}

function checkName(value: unknown, field: string, what: string, bytesMax: number): string {
  if (value === "") throw invalid(`Invalid ${what}: it is empty`, field);
  return checkBytes(checkText(value, field, what), bytesMax, field, what);
}
