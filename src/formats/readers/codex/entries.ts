/** The entries of a Codex file. Their ids do not depend on which items were combined. */
import type { Block, Message } from "../../../message/types.ts";
import { defined, type JsonObject } from "../../../util/json.ts";
import { madeId } from "../../contract/ids.ts";
import type { ConversationSink, SourceEntry, SourceRecord } from "../../contract/reader.ts";
import type { CodexChain } from "./chain.ts";
import { type AnswerPart, NO_ID, WEB_SEARCH } from "./items.ts";
import { type HeldUser, looksInjected, type OpenUser, printsOf, userKey } from "./users.ts";

export interface HeldAnswer {
  readonly records: SourceRecord[];
  readonly at: number | undefined;
  /** The blocks of each item. */
  readonly items: (readonly Block[])[];
  readonly model: string | undefined;
  part: AnswerPart;
  extra: JsonObject;
  usage: JsonObject | undefined;
}
export interface HeldOutput {
  readonly records: SourceRecord[];
  readonly at: number | undefined;
  readonly block: Block;
}

type Entry = Omit<SourceEntry, "id" | "parent">;

export class CodexEntries {
  readonly #sink: ConversationSink;
  readonly #chain: CodexChain;
  /** For entries without a parent. */
  readonly #rootFlags: readonly string[] | undefined;

  constructor(sink: ConversationSink, chain: CodexChain, rootFlags: readonly string[] | undefined) {
    this.#sink = sink;
    this.#chain = chain;
    this.#rootFlags = rootFlags;
  }

  add(type: string, entry: Entry): void {
    const parent = this.#chain.last;
    this.#put(entry, parent, [this.#chain.advance(type, entry.message?.content ?? entry.data)]);
  }

  /** An item at the end is more likely a prompt, whose event is not written yet, than context. */
  addUser({ content, at, records, seen, injected }: HeldUser, isAtEnd: boolean): OpenUser {
    const before = this.#chain.last;
    const prompt = this.#chain.advance("user", userKey(content));
    const isPrompt = seen !== "item" && !injected;
    if (isPrompt) this.#chain.begin({ before, prompt });
    const isMarked = !isPrompt && (injected || !isAtEnd || looksInjected(content));
    const extra = isMarked ? { extra: { codex: { injected: true } } } : {};
    this.#put({ at, records, message: { role: "user", content, ...extra } }, before, [prompt]);
    return { before, prompt, prints: printsOf(content), seen };
  }

  addAnswer({ items, at, records, model, extra, usage }: HeldAnswer): void {
    const parent = this.#chain.last;
    const values: string[] = [];
    const content = items.flatMap((blocks) => {
      const value = this.#chain.advance("assistant", blocks);
      values.push(value);
      return blocks.map((block, index) => this.#named(block, value, index));
    });
    const message: Message = {
      role: "assistant",
      content,
      ...defined({ model, usage }),
      ...(Object.keys(extra).length > 0 && { extra: { codex: extra } }),
    };
    this.#put({ at, records, message }, parent, values);
  }

  addOutput({ block, records, at }: HeldOutput): void {
    const parent = this.#chain.last;
    const value = this.#chain.advance("user", block);
    const content = [this.#paired(block, value)];
    this.#put({ at, records, message: { role: "user", content } }, parent, [value]);
  }

  /** Make an id for a call without one; its result is matched by order. */
  #named(block: Block, value: string, index: number): Block {
    if (block.type !== "tool_use" || block.id !== NO_ID) return block;
    const id = madeId(value, "call", index);
    if (block.name !== WEB_SEARCH) this.#chain.expectResult(id);
    return { ...block, id };
  }

  #paired(block: Block, value: string): Block {
    if (block.tool_use_id !== NO_ID) return block;
    return { ...block, tool_use_id: this.#chain.resultOf(value), paired: "order" };
  }

  /**
   * The id is the value at the last item, because the next entry follows that
   * item, whether or not it became a separate entry. The values at the other
   * items are aliases: in another reading an entry may have ended with them.
   */
  #put(entry: Entry, parent: string | null, values: readonly string[]): void {
    const id = values.at(-1) ?? "";
    const aliases = values.slice(0, -1);
    const flags = parent === null ? this.#rootFlags : undefined;
    this.#sink.add({
      ...entry,
      id,
      parent,
      ...(aliases.length > 0 && { aliases }),
      ...(flags !== undefined && { flags }),
    });
  }
}
