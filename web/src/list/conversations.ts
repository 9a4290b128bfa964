/** The conversations of the left column: read in pages, and kept current by events. */
import type { ConversationSummary, ListOf } from "../../../src/gateway/wire/rest.ts";
import { api } from "../api/api.ts";
import { listen } from "../api/live.ts";
import { conversationPath } from "../api/paths.ts";
import { Cell } from "../state/cell.ts";
import { type Filters, isFiltered, sinceOf } from "./filters.ts";
import { activeAt, isBefore, withoutRow, withPage, withRow } from "./listed.ts";

export interface ConversationsState {
  readonly items: readonly ConversationSummary[];
  readonly cursor: string | null;
  readonly loading: boolean;
  readonly error: unknown;
}

type Page = ListOf<ConversationSummary>;
/** An event of a row. */
type Change = readonly [id: string, info: ConversationSummary | null];

/** The first page is there at once; those that follow last longer. */
const PAGE = 200;
const NEXT_PAGE = 500;
/** How many rows tell whether something happened before the first event. */
const GLANCE = 20;
/** An import asks again and again to read the list. */
const RELOAD_MS = 1000;
const START: ConversationsState = { items: [], cursor: null, loading: true, error: undefined };

/** The one that is shown, for changes that are made elsewhere on the page. */
export const shownList = new Cell<Conversations | null>(null);

export class Conversations {
  readonly state = new Cell<ConversationsState>(START);
  readonly #filters: Filters;
  readonly #stopListening: () => void;
  /** Of the read that is under way: the next one ends it, so that pages never mix. */
  #reading = new AbortController();
  /** While the list is read again: changes that arrived meanwhile, which the answer may not have. */
  #late: Change[] | undefined;
  #first: Promise<void> | undefined;
  #reloadedAt = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(filters: Filters) {
    this.#filters = filters;
    const first = this.#readAgain();
    this.#first = first;
    this.#stopListening = listen("conversations", (event) => {
      if (event.event === "conversation.changed") {
        this.#late?.push([event.data.conversation, event.data.info]);
        void this.#changed(event.data.conversation, event.data.info);
      } else if (event.event === "resync") this.#reloadSoon();
      else if (event.event === "subscribed" && !event.data.resumed) {
        if (this.#first === undefined) this.#reloadSoon();
        else void first.then(() => this.#compare());
        this.#first = undefined;
      }
    });
  }

  get isFiltered(): boolean {
    return isFiltered(this.#filters);
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#reading.abort();
    this.#stopListening();
  }

  readonly more = (): void => {
    const { cursor, loading, error } = this.state.value;
    if (cursor === null || loading || error !== undefined) return;
    void this.#read(async (signal) => {
      const page = await this.#page({ cursor, limit: NEXT_PAGE }, signal);
      return { items: withPage(this.state.value.items, page.items), cursor: page.cursor };
    });
  };

  /** Read as much as is shown again. What is shown stays until then. */
  readonly reload = (): void => {
    void this.#readAgain();
  };

  remove(id: string): void {
    this.#set({ items: withoutRow(this.state.value.items, id) });
  }

  #reloadSoon(): void {
    const wait = this.#reloadedAt + RELOAD_MS - performance.now();
    this.#timer ??= setTimeout(
      () => {
        this.#timer = undefined;
        // One that is under way is not ended, or a long list would never be read.
        if (this.#late === undefined) this.reload();
        else this.#reloadSoon();
      },
      Math.max(0, wait),
    );
  }

  async #readAgain(): Promise<void> {
    this.#reloadedAt = performance.now();
    const late: Change[] = [];
    this.#late = late;
    const isDone = await this.#read(async (signal) => {
      let { items, cursor } = await this.#page({}, signal);
      // By place, not by number: rows above may be new.
      while (cursor !== null && isBefore(items.at(-1), this.state.value.items.at(-1))) {
        const page: Page = await this.#page({ cursor, limit: NEXT_PAGE }, signal);
        items = withPage(items, page.items);
        cursor = page.cursor;
      }
      return { items, cursor };
    });
    this.#reloadedAt = performance.now();
    if (this.#late === late) this.#late = undefined;
    if (isDone) for (const change of late) await this.#changed(...change);
  }

  /** `false` if it failed, or was ended by the next one. */
  async #read(
    read: (signal: AbortSignal) => Promise<Pick<ConversationsState, "items" | "cursor">>,
  ): Promise<boolean> {
    this.#reading.abort();
    const reading = new AbortController();
    this.#reading = reading;
    this.#set({ loading: true, error: undefined });
    try {
      const { items, cursor } = await read(reading.signal);
      if (reading.signal.aborted) return false;
      this.#set({ items, cursor, loading: false });
      return true;
    } catch (error) {
      if (!reading.signal.aborted) this.#set({ loading: false, error });
      return false;
    }
  }

  #page(
    query: { readonly cursor?: string; readonly limit?: number; readonly words?: boolean },
    signal: AbortSignal,
  ): Promise<Page> {
    const { channel, model, days, branch } = this.#filters;
    const filter = { channel, model, after: sinceOf(days), ...(branch === "forked" && { forked: true }) };
    return api("GET", "conversations", { query: { limit: PAGE, words: true, ...filter, ...query }, signal });
  }

  /** Something may have happened after the first page was read and before the first event. */
  async #compare(): Promise<void> {
    const { signal } = this.#reading;
    const now = await this.#page({ limit: GLANCE, words: false }, signal).catch(() => undefined);
    const { items } = this.state.value;
    const isSame = (row: ConversationSummary, index: number): boolean =>
      items[index]?.id === row.id && items[index].updatedAt === row.updatedAt;
    if (now && !now.items.every(isSame)) this.#reloadSoon();
  }

  async #changed(id: string, info: ConversationSummary | null): Promise<void> {
    const row = info ?? (await this.#readOne(id));
    if (!row || row.deletedAt !== null || !this.#isWanted(row)) return this.remove(id);
    const { items, cursor } = this.state.value;
    this.#set({ items: withRow(items, row, { isWhole: cursor === null }) });
  }

  async #readOne(id: string): Promise<ConversationSummary | undefined> {
    try {
      return await api<ConversationSummary>("GET", conversationPath(id));
    } catch {
      return undefined;
    }
  }

  #isWanted(row: ConversationSummary): boolean {
    const { channel, model, days, branch } = this.#filters;
    return (
      (channel === null || row.channel === channel) &&
      (model === null || row.model === model) &&
      (branch !== "forked" || row.branchCount > 1) &&
      activeAt(row) >= (sinceOf(days) ?? "")
    );
  }

  #set(change: Partial<ConversationsState>): void {
    this.state.update((old) => ({ ...old, ...change }));
  }
}
