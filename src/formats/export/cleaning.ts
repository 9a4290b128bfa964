/** Removes unwanted parts and secrets from an export. */
import { placeholder } from "../../message/apis/foreign.ts";
import type { Block, Message } from "../../message/types.ts";
import { ValueRedaction } from "../../secrets/value-redaction.ts";
import { isAnnouncement, ORIGINAL_TYPE } from "../../store/originals/announcement.ts";
import type { ExportEntry } from "../../store/read/snapshot.ts";
import type { BranchInfo } from "../../tree/branches.ts";
import type { Wanted } from "./options.ts";

const TOOLS: ReadonlySet<string> = new Set(["tool_use", "tool_result", "server_tool_use"]);
const THINKING: ReadonlySet<string> = new Set(["thinking", "redacted_thinking"]);

export class Cleaner {
  readonly #wanted: Wanted;
  readonly #redaction: ValueRedaction;

  constructor(wanted: Wanted) {
    this.#wanted = wanted;
    this.#redaction = new ValueRedaction(wanted.secrets);
  }

  /** The number of secrets redacted so far. */
  get redacted(): number {
    return this.#redaction.count;
  }

  entry(entry: ExportEntry): ExportEntry {
    const { message, data } = entry;
    // The original has what is left out here.
    if (isAnnouncement(entry.kind, data) && !this.#isWhole) {
      return { ...entry, data: { type: ORIGINAL_TYPE }, references: [] };
    }
    if (message !== undefined) return { ...entry, message: this.value(this.#withoutParts(message)) };
    return data === undefined ? entry : { ...entry, data: this.value(data) };
  }

  /** Any value of the store, with the same properties and without secrets. */
  value<T>(value: T): T {
    return this.#wanted.redact ? this.#redaction.value(value) : value;
  }

  branch(branch: BranchInfo): BranchInfo {
    const { name, parent } = branch;
    return { ...branch, name: this.text(name), parent: parent === null ? null : this.text(parent) };
  }

  text(text: string): string {
    return this.#wanted.redact ? this.#redaction.text(text) : text;
  }

  get #isWhole(): boolean {
    const { redact, tools, thinking } = this.#wanted;
    return !redact && tools && thinking;
  }

  #withoutParts(message: Message): Message {
    const { content } = message;
    const { tools, thinking } = this.#wanted;
    if (tools && thinking) return message;
    // The source repeats the removed parts.
    const { source: _source, ...rest } = message;
    if (typeof content === "string") return rest;
    const isKept = ({ type }: Block): boolean =>
      (tools || !TOOLS.has(type)) && (thinking || !THINKING.has(type));
    const kept = content.filter(isKept);
    if (kept.length > 0 || content.length === 0) return { ...rest, content: kept };
    return { ...rest, content: [{ type: "text", text: placeholder(content), [LEFT_OUT]: true }] };
  }
}

/** Marks the one block of a message whose blocks were all left out. */
const LEFT_OUT = "left_out";

/** Nothing of the message was wanted. */
export function isLeftOut({ content }: Message): boolean {
  return typeof content !== "string" && content.length === 1 && content[0]?.[LEFT_OUT] === true;
}
