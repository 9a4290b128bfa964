/** Turns what is committed to the store, by any process, into events of its topics. */
import { setTimeout as sleep } from "node:timers/promises";
import { asColloquyError, type ColloquyError } from "../../errors.ts";
import type { Entry } from "../../message/types.ts";
import type { Change } from "../../store/feed/changes.ts";
import type { Store } from "../../store/store.ts";
import { rowOf, wordsOf } from "../routes/conversation/conversation-view.ts";
import { type Hub, LIST_TOPIC, topicOf } from "./hub.ts";

export interface FeedOptions {
  readonly store: Store;
  readonly hub: Hub;
  /** Whether an answer is being written in a conversation. */
  readonly isRunning: (conversation: string) => boolean;
  /** After the event with these entries. */
  readonly onEntries: (conversation: string, entries: readonly Entry[]) => void;
  /** After each change of the store. */
  readonly onChange: () => void;
  readonly onProblem: (problem: ColloquyError) => void;
}

/** Entries that are committed within this time travel together. */
const TOGETHER_MS = 5;
/** Rows of the list are sent this often at most. */
const ROWS_MS = 50;
/** An import changes thousands of conversations: then clients read the list again, which costs all sides less. */
const ROWS_MAX = 200;
const EVENT_CHARS_MAX = 256 * 1024;
const AGAIN_MS = 1000;
/** Changes after which content is gone that was sent before. */
const ERASING: ReadonlySet<Change["type"]> = new Set(["redacted", "swept", "purged"]);

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
        for await (const change of store.changes({ signal, ...since })) {
          if (change.type === "updated") await this.#moved(change.conversation);
          this.#take(change);
        }
        return;
      } catch (error) {
        if (signal.aborted) return;
        this.#report(error);
        await sleep(AGAIN_MS, undefined, { signal }).catch(() => {});
      }
    }
  }

  /** Before the entries that follow: a conversation that has left the scope of a token is not shown to it any more. */
  async #moved(conversation: string): Promise<void> {
    const { hub, store } = this.#options;
    const info = hub.isKept(topicOf(conversation)) ? await store.info(conversation) : undefined;
    if (info !== undefined) hub.moved(conversation, info);
  }

  #take({ type, conversation, entry, cursor }: Change): void {
    this.#cursor = cursor;
    this.#options.onChange();
    if (entry !== undefined) {
      const waiting = this.#entries.get(conversation);
      if (waiting === undefined) this.#entries.set(conversation, [entry]);
      else waiting.push(entry);
      this.#entriesTimer ??= setTimeout(() => this.#sendEntries(), TOGETHER_MS);
    }
    if (ERASING.has(type)) {
      // Before the entries that still have it would be sent after.
      this.#sendEntries();
      this.#options.hub.erased(conversation);
    }
    if (type === "purged") this.#gone(conversation);
    else this.touch(conversation);
  }

  #sendEntries(): void {
    clearTimeout(this.#entriesTimer);
    this.#entriesTimer = undefined;
    const { hub, onEntries } = this.#options;
    for (const [conversation, entries] of this.#entries) {
      const topic = topicOf(conversation);
      if (hub.isKept(topic)) {
        hub.publish(topic, "conversation.entries", { conversation, ...fitting(entries) });
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
      const isListed = hub.isKept(LIST_TOPIC);
      const isFlood = changed.length > ROWS_MAX;
      if (isListed && isFlood) hub.publish(LIST_TOPIC, "resync", { reason: "too-many" });
      for (const conversation of changed) {
        const topic = topicOf(conversation);
        if (!(isListed && !isFlood) && !hub.isKept(topic)) continue;
        const info = await store.info(conversation);
        if (info === undefined) this.#gone(conversation);
        else {
          const summary = rowOf(info, { isRunning });
          const data = { conversation, info: { ...summary, ...(await wordsOf(info, { store })) } };
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

  /** Purged. Only its id is known. */
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

/** As many as one event can carry: an import, or an image, must not fill the memory of everybody who watches. */
function fitting(all: readonly Entry[]): { readonly entries: Entry[]; readonly omitted: string[] } {
  const entries: Entry[] = [];
  const omitted: string[] = [];
  let room = EVENT_CHARS_MAX;
  for (const entry of all) {
    const chars = JSON.stringify(entry).length;
    if (chars > room) omitted.push(entry.id);
    else {
      entries.push(entry);
      room -= chars;
    }
  }
  return { entries, omitted };
}
