/**
 * Records that cannot become entries yet.
 *
 * A user item is known to be a prompt once the event that repeats it has
 * arrived. An answer is complete when something else begins, and its token
 * counts come last. Until then the records are held.
 */
import type { Block, Message } from "../../../message/types.ts";
import type { Json, JsonObject } from "../../../util/json.ts";
import type { ConversationSink, SourceEntry, SourceRecord } from "../../contract/reader.ts";
import type { CodexChain } from "./chain.ts";
import { CodexEntries, type HeldAnswer, type HeldOutput } from "./entries.ts";
import type { AnswerPart, CodexItem } from "./items.ts";
import { completes, type HeldUser, type OpenUser, openUsers, repeats, savedUser } from "./users.ts";

type Answer = Extract<CodexItem, { readonly side: "answer" }>;

export class CodexStep {
  readonly #sink: ConversationSink;
  readonly #chain: CodexChain;
  readonly #entries: CodexEntries;
  #users: HeldUser[] = [];
  /** Prompts that were added at the end of a pass, until something else follows. */
  #open: OpenUser[];
  #answer: HeldAnswer | undefined;
  #outputs: HeldOutput[] = [];
  #notes: SourceRecord[] = [];
  #records: SourceRecord[] = [];

  constructor(
    sink: ConversationSink,
    chain: CodexChain,
    rootFlags: readonly string[] | undefined,
    open: Json | undefined,
  ) {
    this.#open = openUsers(open);
    this.#sink = sink;
    this.#chain = chain;
    this.#entries = new CodexEntries(sink, chain, rootFlags);
  }

  /** The held records, in the order of the file. */
  get records(): readonly SourceRecord[] {
    return this.#records;
  }

  /** Prompts that were added and may still be repeated. */
  state(): Json {
    return this.#open.map(savedUser);
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

  /** A user item: perhaps a prompt, perhaps context. `isPrompt` decides where files have no events. */
  user(record: SourceRecord, content: Message["content"], at: number | undefined, isPrompt: boolean): void {
    this.#endAnswer();
    const added = this.#open.find((user) => user.seen === "event" && completes(user, content));
    if (added !== undefined) {
      this.#repeat(added, record);
      return;
    }
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

  /** An event that displays a prompt. */
  prompt(record: SourceRecord, content: Message["content"], at: number | undefined, injected: boolean): void {
    this.#endAnswer();
    const item = this.#users.findLast(({ seen, content: said }) => seen === "item" && repeats(said, content));
    const isHalf = (user: OpenUser) => user.seen === "item" && completes(user, content);
    const added = item === undefined ? this.#open.findLast(isHalf) : undefined;
    if (added !== undefined) {
      if (!injected) this.#chain.begin(added);
      this.#repeat(added, record);
      return;
    }
    this.#records.push(record);
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
    this.#answer ??= { items: [], records: [], at, model, part: item.part, extra: {}, usage: undefined };
    this.#answer.items.push(item.blocks);
    // The call and the result of a turn item come from the same record.
    if (this.#answer.records.at(-1) !== record) this.#answer.records.push(record);
    this.#answer.extra = { ...this.#answer.extra, ...item.extra };
    this.#answer.part = item.part;
  }

  output(record: SourceRecord, block: Block, at: number | undefined): void {
    if (this.#users.length > 0) this.settle();
    this.#open = [];
    if (this.#records.at(-1) !== record) this.#records.push(record);
    this.#outputs.push({ records: [record], block, at });
  }

  /** Token counts belong to the answer before them, if it is still held. */
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
    this.#entries.add(type, { ...entry, records: [record] });
  }

  /** The held records are complete. */
  settle(): void {
    this.#addHeld(false);
    this.#open = [];
  }

  /**
   * Nothing more is added to the last answer of the turn. Where rollouts of earlier versions were migrated, the prompt
   * of the next turn stands before the end of this one, and the event that repeats it after that.
   */
  endTurn(): void {
    if (this.#users.at(-1)?.seen === "item") return;
    this.#addHeld(false);
    this.#open = this.#open.filter(({ seen }) => seen === "item");
  }

  /** The pass is over: held records are added, complete or not. */
  flush(): void {
    this.#addHeld(true);
  }

  #addHeld(atEnd: boolean): void {
    for (const user of this.#users) {
      this.#open.push(this.#entries.addUser(user, atEnd && user === this.#users.at(-1)));
    }
    if (this.#answer !== undefined) this.#entries.addAnswer(this.#answer);
    for (const output of this.#outputs) this.#entries.addOutput(output);
    for (const record of this.#notes) this.#sink.note(record);
    this.#users = [];
    this.#answer = undefined;
    this.#outputs = [];
    this.#notes = [];
    this.#records = [];
  }

  /** The other half of a prompt that was added. It is not held, because a saved state does not contain it. */
  #repeat(added: OpenUser, record: SourceRecord): void {
    added.seen = "both";
    this.#sink.note(record);
  }

  #endAnswer(): void {
    if (this.#answer !== undefined || this.#outputs.length > 0) this.settle();
  }
}

function joins(open: AnswerPart, next: AnswerPart): boolean {
  return open === "thought" || (open === "call" && next === "call");
}
