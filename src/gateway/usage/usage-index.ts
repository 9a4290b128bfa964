/**
 * What answers used, by conversation, day and model. Each conversation is read once and then only from where it was
 * counted, and the counts are kept in a file: usage of a million messages must not read a million messages.
 */

import { usageOfMessage } from "../../agent/loop/usage.ts";
import { asColloquyError, ColloquyError } from "../../errors.ts";
import type { ConversationInfo } from "../../store/index.ts";
import type { Store } from "../../store/store.ts";
import { recent } from "../recent.ts";
import { type CountedConversation, type CountedRow, UsageFile } from "./usage-file.ts";

/** A refresh lists all conversations, so it is not done for each request. */
const FRESH_MS = 3000;

export interface ConversationRows {
  readonly info: ConversationInfo;
  readonly rows: readonly CountedRow[];
}

export class UsageIndex {
  readonly #store: Store;
  readonly #file: UsageFile;
  readonly #all = recent(() => this.#refresh(), FRESH_MS);

  constructor(store: Store, path: string) {
    this.#store = store;
    this.#file = new UsageFile(path, store.path ?? "");
  }

  /** Of all conversations, also those in the trash. */
  all(): Promise<readonly ConversationRows[]> {
    return this.#all();
  }

  async of(info: ConversationInfo): Promise<readonly CountedRow[]> {
    const known = this.#file.get(info.id);
    if (known?.stamp === stampOf(info) || info.deletedAt !== null) return known?.rows ?? [];
    const counted = await this.#count(info, known);
    this.#file.set(info.id, counted);
    return counted.rows;
  }

  close(): void {
    this.#file.save();
  }

  async #refresh(): Promise<readonly ConversationRows[]> {
    const found: ConversationRows[] = [];
    for (const trash of [false, true]) {
      for await (const info of this.#store.list({ trash })) found.push({ info, rows: await this.of(info) });
    }
    this.#file.keepOnly(new Set(found.map(({ info }) => info.id)));
    this.#file.save();
    return found;
  }

  async #count(info: ConversationInfo, known: CountedConversation | undefined): Promise<CountedConversation> {
    try {
      return await this.#countFrom(info, known);
    } catch (error) {
      // The entry where it stopped was pruned.
      if (known === undefined || asColloquyError(error, "").code !== "NOT_FOUND") throw error;
      return this.#countFrom(info, undefined);
    }
  }

  async #countFrom(
    info: ConversationInfo,
    known: CountedConversation | undefined,
  ): Promise<CountedConversation> {
    const conversation = await this.#store.get(info.id);
    if (conversation === undefined)
      throw new ColloquyError("NOT_FOUND", `There is no conversation ${info.id}`);
    const isLess = (known?.messages ?? 0) > info.messageCount;
    const start = isLess ? undefined : known;
    const rows = new Map((start?.rows ?? []).map((row) => [`${row.day} ${row.model}`, { ...row }]));
    let last = start?.last;
    let messages = start?.messages ?? 0;
    const query = { all: true, blobs: "references", ...(last !== undefined && { after: last }) } as const;
    for await (const { id, at, message } of conversation.messages(query)) {
      const usage = usageOfMessage(message);
      const [day, model] = [at.slice(0, 10), message.model ?? ""];
      const row = rows.get(`${day} ${model}`) ?? { ...EMPTY, day, model };
      row.messages++;
      row.inputTokens += usage.inputTokens;
      row.outputTokens += usage.outputTokens;
      row.cacheReadTokens += usage.cacheReadTokens;
      row.cacheWriteTokens += usage.cacheWriteTokens;
      if (usage.cost !== undefined) row.cost = (row.cost ?? 0) + usage.cost;
      rows.set(`${day} ${model}`, row);
      last = id;
      messages++;
    }
    return { stamp: stampOf(info), last, messages, rows: [...rows.values()] };
  }
}

const EMPTY = {
  messages: 0,
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  cost: null as number | null,
};

/** Changes with every message. */
function stampOf({ messageCount, head, lastMessageAt }: ConversationInfo): string {
  return `${messageCount} ${head} ${lastMessageAt}`;
}
