/**
 * The records between two entries that are sure.
 *
 * Whether a user item is a prompt is known once the event that repeats it was
 * seen; an answer is whole when something else begins, and its token counts
 * come last. Until then they are held.
 */
import type { Block, Message } from "../../message/types.ts";
import type { JsonObject } from "../../util/json.ts";
import type { ConversationSink, SourceEntry, SourceRecord } from "../import/contract.ts";
import type { CodexChain } from "./codex-chain.ts";
import { plainText } from "./codex-content.ts";
import { type AnswerPart, type CodexItem, NO_ID, WEB_SEARCH } from "./codex-items.ts";

interface Held {
  readonly records: SourceRecord[];
  readonly at: number | undefined;
}
interface HeldUser extends Held {
  content: Message["content"];
  /** Both an item and an event, only one of them yet, or an item that needs no event. */
  seen: "item" | "event" | "both";
  /** What an event says by itself: context, not a prompt. */
  injected: boolean;
}
interface HeldAnswer extends Held {
  readonly blocks: Block[];
  readonly model: string | undefined;
  part: AnswerPart;
  extra: JsonObject;
  usage: JsonObject | undefined;
}
interface HeldOutput extends Held {
  readonly block: Block;
}

type Answer = Extract<CodexItem, { readonly side: "answer" }>;

export class CodexStep {
  readonly #sink: ConversationSink;
  readonly #chain: CodexChain;
  /** For entries that follow nothing. */
  readonly #rootFlags: readonly string[] | undefined;
  #users: HeldUser[] = [];
  #answer: HeldAnswer | undefined;
  #outputs: HeldOutput[] = [];
  #notes: SourceRecord[] = [];
  #records: SourceRecord[] = [];

  constructor(sink: ConversationSink, chain: CodexChain, rootFlags: readonly string[] | undefined) {
    this.#sink = sink;
    this.#chain = chain;
    this.#rootFlags = rootFlags;
  }

  /** What is held, in the order of the file. */
  get records(): readonly SourceRecord[] {
    return this.#records;
  }

  get #isEmpty(): boolean {
    return this.#users.length === 0 && this.#answer === undefined && this.#outputs.length === 0;
  }

  note(record: SourceRecord): void {
    if (this.#isEmpty) {
      this.#sink.note(record);
    } else {
      this.#notes.push(record);
      this.#records.push(record);
    }
  }

  /** A user item: perhaps a prompt, perhaps context. `isPrompt` where files have no events to tell. */
  user(record: SourceRecord, content: Message["content"], at: number | undefined, isPrompt: boolean): void {
    this.#endAnswer();
    this.#records.push(record);
    const repeated = this.#users.find(
      ({ seen, content: said }) => seen === "event" && repeats(content, said),
    );
    if (repeated === undefined) {
      const seen = isPrompt ? "both" : "item";
      this.#users.push({ content, at, records: [record], seen, injected: false });
    } else {
      repeated.records.unshift(record);
      Object.assign(repeated, { content, seen: "both" });
    }
  }

  /** An event that shows what a person entered. */
  prompt(record: SourceRecord, content: Message["content"], at: number | undefined, injected: boolean): void {
    this.#endAnswer();
    this.#records.push(record);
    const item = this.#users.findLast(({ seen, content: said }) => seen === "item" && repeats(said, content));
    if (item === undefined) {
      this.#users.push({ content, at, records: [record], seen: "event", injected });
    } else {
      item.records.push(record);
      Object.assign(item, { seen: "both", injected });
    }
  }

  answer(record: SourceRecord, item: Answer, at: number | undefined, model: string | undefined): void {
    const open = this.#users.length === 0 && this.#outputs.length === 0 ? this.#answer : undefined;
    if (open === undefined || !joins(open.part, item.part)) this.settle();
    this.#records.push(record);
    this.#answer ??= { blocks: [], records: [], at, model, part: item.part, extra: {}, usage: undefined };
    for (const block of item.blocks) this.#answer.blocks.push(this.#named(block, this.#answer.blocks.length));
    // The call and the result of one turn item are made of the same record.
    if (this.#answer.records.at(-1) !== record) this.#answer.records.push(record);
    this.#answer.extra = { ...this.#answer.extra, ...item.extra };
    this.#answer.part = item.part;
  }

  output(record: SourceRecord, block: Block, at: number | undefined): void {
    if (this.#users.length > 0) this.settle();
    if (this.#records.at(-1) !== record) this.#records.push(record);
    this.#outputs.push({ records: [record], block: this.#paired(block), at });
  }

  /** Token counts belong to the answer before them, as long as it is held. */
  usage(record: SourceRecord, usage: JsonObject | undefined): void {
    if (usage === undefined || this.#answer === undefined || this.#answer.usage !== undefined) {
      this.note(record);
    } else {
      this.#answer.usage = usage;
      this.#answer.records.push(record);
      this.#records.push(record);
    }
  }

  /** An entry that waits for nothing. */
  add(type: string, record: SourceRecord, entry: Omit<SourceEntry, "id" | "parent" | "records">): void {
    this.settle();
    this.#put({ ...entry, records: [record] }, type, false);
  }

  settle(): void {
    for (const user of this.#users) this.#putUser(user);
    if (this.#answer !== undefined) this.#putAnswer(this.#answer);
    for (const { block, records, at } of this.#outputs) {
      this.#put({ at, records, message: { role: "user", content: [block] } }, "user", false);
    }
    for (const record of this.#notes) this.#sink.note(record);
    this.#users = [];
    this.#answer = undefined;
    this.#outputs = [];
    this.#notes = [];
    this.#records = [];
  }

  /** A call without an id gets one, under which its result is found by order. */
  #named(block: Block, index: number): Block {
    if (block.type !== "tool_use" || block.id !== NO_ID) return block;
    const id = this.#chain.callId(index);
    if (block.name !== WEB_SEARCH) this.#chain.expectResult(id);
    return { ...block, id };
  }

  #paired(block: Block): Block {
    if (block.tool_use_id !== NO_ID) return block;
    return { ...block, tool_use_id: this.#chain.resultOf(this.#outputs.length), paired: "order" };
  }

  #endAnswer(): void {
    if (this.#answer !== undefined || this.#outputs.length > 0) this.settle();
  }

  #putUser({ content, at, records, seen, injected }: HeldUser): void {
    const isPrompt = seen !== "item" && !injected;
    const extra = isPrompt ? {} : { extra: { codex: { injected: true } } };
    this.#put({ at, records, message: { role: "user", content, ...extra } }, "user", isPrompt);
  }

  #putAnswer({ blocks, at, records, model, extra, usage }: HeldAnswer): void {
    const message: Message = {
      role: "assistant",
      content: blocks,
      ...(model !== undefined && { model }),
      ...(usage !== undefined && { usage }),
      ...(Object.keys(extra).length > 0 && { extra: { codex: extra } }),
    };
    this.#put({ at, records, message }, "assistant", false);
  }

  #put(entry: Omit<SourceEntry, "id" | "parent">, type: string, isPrompt: boolean): void {
    const { id, parent } = this.#chain.add(type, entry.message?.content ?? entry.data, isPrompt);
    const flags = parent === null ? this.#rootFlags : undefined;
    this.#sink.add({ ...entry, id, parent, ...(flags !== undefined && { flags }) });
  }
}

function joins(open: AnswerPart, next: AnswerPart): boolean {
  return open === "thought" || (open === "call" && next === "call");
}

/** Codex puts a tag around each image of a prompt, which the event for display leaves out. */
const IMAGE_TAG = /^<\/?image\b[^>]*>$/;

/** Whether an event shows what the item says. */
function repeats(item: Message["content"], event: Message["content"]): boolean {
  const shown = plainText(event);
  if (plainText(item) === shown) return true;
  if (typeof item === "string") return false;
  const texts = item.flatMap(({ type, text }) => (type === "text" && typeof text === "string" ? [text] : []));
  return texts.filter((text) => !IMAGE_TAG.test(text.trim())).join("") === shown;
}
