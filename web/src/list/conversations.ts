/** The conversations of the left column: read in pages, and kept current by events. */
import type { ConversationSummary, ListOf } from "../../../src/gateway/wire/rest.ts";
import { api } from "../api/api.ts";
import { listen } from "../api/live.ts";
import { Cell } from "../state/cell.ts";
import { type Filters, sinceOf } from "./filters.ts";

export interface ConversationsState {
  readonly items: readonly ConversationSummary[];
  readonly cursor: string | null;
  readonly loading: boolean;
  readonly error: unknown;
}

const PAGE = 200;
const START: ConversationsState = { items: [], cursor: null, loading: true, error: undefined };

/** The one that is shown, for changes that are made elsewhere on the page. */
export const shownList = new Cell<Conversations | null>(null);

export class Conversations {
  readonly state = new Cell<ConversationsState>(START);
  readonly #filters: Filters;
  readonly #abort = new AbortController();
  readonly #stopListening: () => void;

  constructor(filters: Filters) {
    this.#filters = filters;
    void this.#read(null);
    this.#stopListening = listen("conversations", (event) => {
      if (event.event === "conversation.changed")
        void this.#changed(event.data.conversation, event.data.info);
      else if (event.event === "subscribed" && !event.data.resumed) this.reload();
      else if (event.event === "resync") this.reload();
    });
  }

  close(): void {
    this.#abort.abort();
    this.#stopListening();
  }

  readonly more = (): void => {
    const { cursor, loading, error } = this.state.value;
    if (cursor !== null && !loading && error === undefined) void this.#read(cursor);
  };

  /** Read the first page again; what was shown stays until it is there. */
  readonly reload = (): void => {
    void this.#read(null);
  };

  /** Show a change before the gateway confirms it. */
  patch(id: string, change: Partial<ConversationSummary>): void {
    this.#set({
      items: this.state.value.items.map((item) => (item.id === id ? { ...item, ...change } : item)),
    });
  }

  remove(id: string): void {
    this.#set({ items: this.state.value.items.filter((item) => item.id !== id) });
  }

  async #read(cursor: string | null): Promise<void> {
    this.#set({ loading: true, error: undefined });
    const { channel, model, days } = this.#filters;
    try {
      const page = await api<ListOf<ConversationSummary>>("GET", "conversations", {
        query: { limit: PAGE, cursor, words: true, channel, model, after: sinceOf(days) },
        signal: this.#abort.signal,
      });
      const before = cursor === null ? [] : this.state.value.items;
      const known = new Set(before.map(({ id }) => id));
      const fresh = page.items.filter((item) => !known.has(item.id) && this.#wanted(item));
      this.#set({ items: [...before, ...fresh], cursor: page.cursor, loading: false });
    } catch (error) {
      if (!this.#abort.signal.aborted) this.#set({ loading: false, error });
    }
  }

  /** What changed comes first, as after a reload. */
  async #changed(id: string, info: ConversationSummary | null): Promise<void> {
    const old = this.state.value.items.find((item) => item.id === id);
    const next = info ?? (await this.#readOne(id));
    if (!next || next.deletedAt !== null || !this.#wanted(next)) {
      if (old) this.remove(id);
      return;
    }
    const merged = { ...old, ...next };
    const isMoved = old === undefined || timeOf(merged) !== timeOf(old);
    const items = this.state.value.items;
    if (!isMoved) this.patch(id, merged);
    else this.#set({ items: [merged, ...items.filter((item) => item.id !== id)] });
  }

  async #readOne(id: string): Promise<ConversationSummary | undefined> {
    try {
      return await api<ConversationSummary>("GET", `conversations/${encodeURIComponent(id)}`, {
        signal: this.#abort.signal,
      });
    } catch {
      return undefined;
    }
  }

  #wanted(item: ConversationSummary): boolean {
    const { channel, model, branch } = this.#filters;
    return (
      (channel === null || item.channel === channel) &&
      (model === null || item.model === model) &&
      (branch !== "forked" || item.branchCount > 1)
    );
  }

  #set(change: Partial<ConversationsState>): void {
    this.state.update((old) => ({ ...old, ...change }));
  }
}

function timeOf({ lastMessageAt, updatedAt }: ConversationSummary): string {
  return lastMessageAt ?? updatedAt;
}

/** As people recognise it. */
export function titleOf(item: Pick<ConversationSummary, "title" | "firstWords" | "key">): string {
  return item.title || item.firstWords || item.key || "New conversation";
}
