/** Removes unwanted parts and secrets from an export. */
import { placeholder } from "../../message/apis/foreign.ts";
import type { Block, Message } from "../../message/types.ts";
import { isSecretProperty, redactSecrets } from "../../secrets/redact-secrets.ts";
import type { ExportEntry } from "../../store/read/snapshot.ts";
import type { BranchInfo } from "../../tree/branches.ts";
import { isPlainObject, type Json, type JsonObject } from "../../util/json.ts";
import type { Wanted } from "./options.ts";

const TOOLS: ReadonlySet<string> = new Set(["tool_use", "tool_result", "server_tool_use"]);
const THINKING: ReadonlySet<string> = new Set(["thinking", "redacted_thinking"]);

export class Cleaner {
  /** The number of secrets redacted so far. */
  redacted = 0;
  readonly #wanted: Wanted;

  constructor(wanted: Wanted) {
    this.#wanted = wanted;
  }

  entry(entry: ExportEntry): ExportEntry {
    const { message, data } = entry;
    if (message !== undefined) return { ...entry, message: this.value(this.#withoutParts(message)) };
    return data === undefined ? entry : { ...entry, data: this.value(data) };
  }

  /** Any value of the store, with the same properties and without secrets. */
  value<T>(value: T): T {
    return this.#wanted.redact ? (this.#redactedValue(value as Json, "", undefined) as T) : value;
  }

  branch(branch: BranchInfo): BranchInfo {
    const { name, parent } = branch;
    return { ...branch, name: this.text(name), parent: parent === null ? null : this.text(parent) };
  }

  text(text: string): string {
    if (!this.#wanted.redact) return text;
    const redacted = redactSecrets(text, this.#wanted.secrets);
    this.redacted += redacted.count;
    return redacted.text;
  }

  #withoutParts(message: Message): Message {
    const { content } = message;
    const { tools, thinking } = this.#wanted;
    if (tools && thinking) return message;
    // The source record repeats the removed parts.
    const { source: _source, ...rest } = message;
    if (typeof content === "string") return rest;
    const isKept = ({ type }: Block): boolean =>
      (tools || !TOOLS.has(type)) && (thinking || !THINKING.has(type));
    const kept = content.filter(isKept);
    if (kept.length > 0 || content.length === 0) return { ...rest, content: kept };
    return { ...rest, content: [{ type: "text", text: placeholder(content), [LEFT_OUT]: true }] };
  }

  #redactedValue(value: Json | undefined, name: string, holder: JsonObject | undefined): Json | undefined {
    if (typeof value === "string") return this.#redactedText(value, name, holder);
    if (Array.isArray(value))
      return value.map((item: Json) => this.#redactedValue(item, name, undefined) as Json);
    if (!isPlainObject(value)) return value;
    const object = value as JsonObject;
    const members: Record<string, Json | undefined> = {};
    for (const [member, inner] of Object.entries(object)) {
      members[freeName(members, this.text(member))] = this.#redactedValue(inner, member, object);
    }
    return members;
  }

  #redactedText(text: string, name: string, holder: JsonObject | undefined): string {
    if (isOpaque(name, holder?.type)) return text;
    if (!isSecretProperty(name, text)) return this.text(text);
    this.redacted++;
    return "[redacted: secret]";
  }
}

/** Marks the one block of a message whose blocks were all left out. */
const LEFT_OUT = "left_out";

/** Nothing of the message was wanted. */
export function isLeftOut({ content }: Message): boolean {
  return typeof content !== "string" && content.length === 1 && content[0]?.[LEFT_OUT] === true;
}

/** An image is not text, and a changed id would no longer refer to anything. */
function isOpaque(name: string, type: Json | undefined): boolean {
  switch (name) {
    case "data":
      return type === "base64" || type === "redacted_thinking";
    case "id":
      return type === "tool_use";
    case "tool_use_id":
      return type === "tool_result";
    case "signature":
      return type === "thinking";
    default:
      return false;
  }
}

/** Two names may become equal when a secret is redacted in both. */
function freeName(members: Readonly<Record<string, unknown>>, wanted: string): string {
  let name = wanted;
  for (let copy = 2; Object.hasOwn(members, name); copy++) name = `${wanted} ${copy}`;
  return name;
}
