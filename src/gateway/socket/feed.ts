/** Turns what is committed to the store, by any process, into events of its topics. */
import { setTimeout as sleep } from "node:timers/promises";
import { asColloquyError, type ColloquyError } from "../../errors.ts";
import type { Entry } from "../../message/types.ts";
import type { Change } from "../../store/feed/changes.ts";
import type { Store } from "../../store/store.ts";
import { lastWordsOf, summaryOf } from "../routes/conversation/conversation-view.ts";
import { type Hub, LIST_TOPIC, topicOf } from "./hub.ts";

export interface FeedOptions {
  readonly store: Store;
  readonly hub: Hub;
  /** Whether an answer is being written in a conversation. */
  readonly isRunning: (conversation: string) => boolean;
  /** After the event with these entries. */
  readonly onEntries: (conversation: string, entries: readonly Entry[]) => void;
  readonly onProblem: (problem: ColloquyError) => void;
}

/** Entries that are committed within this time travel together. */
const TOGETHER_MS = 5;
/** Rows of the list are sent this often at most. */
const ROWS_MS = 50;
/** An import changes thousands of conversations: then it is better to read the list again. */
const ROWS_MAX = 200;
const ENTRY_CHARS_MAX = 128 * 1024;
const AGAIN_MS = 1000;

export class Feed {
  readonly #options: FeedOptions;
  readonly #end = new AbortController();
  readonly #entries = new Map<string, Entry[]>();
  readonly #changed = new Set<string>();
  #entriesTimer: NodeJS.Timeout | undefined;
  #rowsTimer: NodeJS.Timeout | undefined;
  #cursor: string | undefined;
  #reading: Promise<void> | undefined;

  constructor(options: FeedOptions) {
    this.#options = options;
  }

  start(): void {
    this.#reading = this.#read();
  }

  async close(): Promise<void> {
    this.#end.abort();
    clearTimeout(this.#entriesTimer);
    clearTimeout(this.#rowsTimer);
    await this.#reading;
  }

  /** The row of a conversation is to be sent again. */
  touch(conversation: string): void {
    this.#changed.add(conversation);
    this.#rowsTimer ??= setTimeout(() => {
      this.#sendRows().catch((error: unknown) => this.#report(error));
    }, ROWS_MS);
  }

  async #read(): Promise<void> {
    const { store } = this.#options;
    const { signal } = this.#end;
    while (!signal.aborted) {
      try {
        const since = this.#cursor === undefined ? {} : { since: this.#cursor };
        for await (const change of store.changes({ signal, ...since })) this.#take(change);
        return;
      } catch (error) {
        if (signal.aborted) return;
        this.#report(error);
        await sleep(AGAIN_MS, undefined, { signal }).catch(() => {});
      }
    }
  }

  #take({ type, conversation, entry, cursor }: Change): void {
    this.#cursor = cursor;
    if (entry !== undefined) {
      const waiting = this.#entries.get(conversation);
      if (waiting === undefined) this.#entries.set(conversation, [entry]);
      else waiting.push(entry);
      this.#entriesTimer ??= setTimeout(() => this.#sendEntries(), TOGETHER_MS);
    }
    if (type === "purged") this.#gone(conversation);
    else this.touch(conversation);
  }

  #sendEntries(): void {
    this.#entriesTimer = undefined;
    const { hub, onEntries } = this.#options;
    for (const [conversation, entries] of this.#entries) {
      const topic = topicOf(conversation);
      if (hub.isWanted(topic)) {
        const [fitting, large] = partition(entries, isFitting);
        const omitted = large.map(({ id }) => id);
        hub.publish(topic, "conversation.entries", { conversation, entries: fitting, omitted });
      }
      onEntries(conversation, entries);
    }
    this.#entries.clear();
  }

  async #sendRows(): Promise<void> {
    const { hub, store, isRunning } = this.#options;
    const changed = [...this.#changed];
    this.#changed.clear();
    try {
      const isListed = hub.isWanted(LIST_TOPIC);
      const isFlood = changed.length > ROWS_MAX;
      if (isListed && isFlood) hub.publish(LIST_TOPIC, "resync", { reason: "too-many" });
      for (const conversation of changed) {
        const topic = topicOf(conversation);
        if (!(isListed && !isFlood) && !hub.isWanted(topic)) continue;
        const info = await store.info(conversation);
        if (info === undefined) this.#gone(conversation);
        else {
          hub.moved(conversation, info);
          const summary = summaryOf(info, { isRunning });
          const data = { conversation, info: { ...summary, lastWords: await lastWordsOf(info, { store }) } };
          hub.publish(topic, "conversation.changed", data);
          if (!isFlood) hub.publish(LIST_TOPIC, "conversation.changed", data, info);
        }
      }
    } finally {
      // Not before: reading can be slow, and rows of a busy store must not queue up.
      this.#rowsTimer = undefined;
      const [next] = this.#changed;
      if (next !== undefined && !this.#end.signal.aborted) this.touch(next);
    }
  }

  /** Purged. Of its place, only the id is known. */
  #gone(conversation: string): void {
    const { hub } = this.#options;
    const data = { conversation, info: null };
    hub.publish(topicOf(conversation), "conversation.changed", data);
    hub.publish(LIST_TOPIC, "conversation.changed", data, { id: conversation, key: null, channel: null });
  }

  #report(error: unknown): void {
    if (!this.#end.signal.aborted)
      this.#options.onProblem(asColloquyError(error, "Cannot read the changes of the store"));
  }
}

function isFitting(entry: Entry): boolean {
  return JSON.stringify(entry).length <= ENTRY_CHARS_MAX;
}

function partition<T>(items: readonly T[], test: (item: T) => boolean): [T[], T[]] {
  const passed: T[] = [];
  const failed: T[] = [];
  for (const item of items) (test(item) ? passed : failed).push(item);
  return [passed, failed];
}
