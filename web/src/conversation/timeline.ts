/** The part of a branch that is loaded: a stretch of its entries that grows in both directions. */
import type { Entry } from "../../../src/message/types.ts";
import { Cell } from "../state/cell.ts";
import { type EntriesQuery, readEntries } from "./requests.ts";
import { isGone, readStretch, withArrived } from "./stretch.ts";

export interface TimelineState {
  readonly entries: readonly Entry[];
  /** Whether there are more before the first and after the last one. */
  readonly hasBefore: boolean;
  readonly hasAfter: boolean;
  readonly loading: boolean;
  readonly error: unknown;
}

/** What was asked for last, to repeat it after a failure. */
type Step = "open" | "before" | "after" | "refresh";

const PAGE = 200;
/** More are not kept: the far end is forgotten, and read again when it comes into view. */
const KEPT_MAX = 1600;

export class Timeline {
  readonly state: Cell<TimelineState> = new Cell<TimelineState>({
    entries: [],
    hasBefore: false,
    hasAfter: false,
    loading: true,
    error: undefined,
  });
  /** `null`: the branch that is checked out. */
  branch: string | null = null;
  readonly #conversation: string;
  #abort = new AbortController();
  #openAt: string | "end" | "start" = "end";
  #failed: Step | undefined;
  #underWay: Step | undefined;
  #wasOpened = false;
  /** Entries that events brought while a page was being read. */
  #arrived: Entry[] = [];

  constructor(conversation: string) {
    this.#conversation = conversation;
  }

  close(): void {
    this.#abort.abort();
  }

  /** Around an entry, or at one of the ends. What was shown stays until it is there. */
  async open(at: string | "end" | "start"): Promise<void> {
    this.#openAt = at;
    this.#wasOpened = true;
    await this.#step("open", async (signal) => {
      if (at === "end") return this.#readEnd(signal);
      if (at === "start") {
        const { items, cursor } = await this.#read({ limit: PAGE }, signal);
        return { entries: items, hasBefore: false, hasAfter: cursor !== null };
      }
      const around = await Promise.all([
        this.#read({ before: at, limit: PAGE / 2 }, signal),
        this.#read({ after: at, limit: PAGE / 2 }, signal),
      ]).catch((error: unknown) => {
        if (!isGone(error)) throw error;
      });
      // A link may name a message that is gone. The conversation is still there.
      if (!around) return this.#readEnd(signal);
      const [before, after] = around;
      const self = await this.#itself(at, before.items.at(-1), signal);
      return {
        entries: [...before.items, ...self, ...after.items],
        hasBefore: before.cursor !== null,
        hasAfter: after.cursor !== null,
      };
    });
  }

  /** Resolves when there is something to show, or nothing can be read. */
  opened(): Promise<void> {
    return new Promise((resolve) => {
      const look = (): void => {
        const { loading, entries } = this.state.value;
        if (loading && entries.length === 0) return;
        stop();
        resolve();
      };
      const stop = this.state.watch(look);
      look();
    });
  }

  readonly before = (): void => {
    const { entries, hasBefore, loading, error } = this.state.value;
    const [first] = entries;
    if (!hasBefore || loading || error !== undefined || !first) return;
    void this.#step("before", async (signal) => {
      const { items, cursor } = await this.#read({ before: first.id, limit: PAGE }, signal);
      const all = [...items, ...this.state.value.entries];
      const isCut = all.length > KEPT_MAX;
      return {
        entries: all.slice(0, KEPT_MAX),
        hasBefore: cursor !== null,
        ...(isCut && { hasAfter: true }),
      };
    });
  };

  readonly after = (): void => {
    const { entries, hasAfter, loading, error } = this.state.value;
    const last = entries.at(-1);
    if (!hasAfter || loading || error !== undefined || !last) return;
    void this.#step("after", async (signal) => {
      const { items, cursor } = await this.#read({ after: last.id, limit: PAGE }, signal);
      const all = [...this.state.value.entries, ...items];
      const isCut = all.length > KEPT_MAX;
      return { entries: all.slice(-KEPT_MAX), hasAfter: cursor !== null, ...(isCut && { hasBefore: true }) };
    });
  };

  readonly retry = (): void => {
    const failed = this.#failed;
    this.#set({ error: undefined });
    if (failed === "before") this.before();
    else if (failed === "after") this.after();
    else if (failed === "refresh") void this.refresh();
    else void this.open(this.#openAt);
  };

  /**
   * Entries that became durable. Returns false if they do not continue what is shown, because they are on another
   * branch or because something is missing between.
   */
  add(entries: readonly Entry[]): boolean {
    const { entries: shown, hasAfter } = this.state.value;
    const known = new Set(shown.map(({ id }) => id));
    const fresh = entries.filter(({ id }) => !known.has(id));
    if (fresh.length === 0) return true;
    // They are read when the end comes into view.
    if (hasAfter) return true;
    let head = shown.at(-1)?.id ?? null;
    for (const { id, parentId } of fresh) {
      if (parentId !== head) return false;
      head = id;
    }
    this.#arrived.push(...fresh);
    this.#set({ entries: [...shown, ...fresh] });
    return true;
  }

  /** Read the same stretch again, because something in it changed. What is being read stays where it is. */
  async refresh(): Promise<void> {
    if (!this.#wasOpened) return;
    const { entries } = this.state.value;
    if (entries.length < 2 || this.#underWay === "open") return this.open(this.#openAt);
    await this.#step("refresh", async (signal) => {
      try {
        const again = await readStretch(this.state.value, PAGE, (query) => this.#read(query, signal));
        return again.hasAfter ? again : { ...again, entries: withArrived(again.entries, this.#arrived) };
      } catch (error) {
        if (!isGone(error)) throw error;
        // Its beginning was pruned.
        return this.#readEnd(signal);
      }
    });
  }

  async #readEnd(signal: AbortSignal): Promise<Partial<TimelineState>> {
    const { items, cursor } = await this.#read({ last: PAGE }, signal);
    return { entries: withArrived(items, this.#arrived), hasBefore: cursor !== null, hasAfter: false };
  }

  async #itself(id: string, before: Entry | undefined, signal: AbortSignal): Promise<readonly Entry[]> {
    const { items } = await this.#read(before ? { after: before.id, limit: 1 } : { limit: 1 }, signal);
    return items.filter((entry) => entry.id === id);
  }

  #read(query: EntriesQuery, signal: AbortSignal): ReturnType<typeof readEntries> {
    const branch = this.branch === null ? {} : { branch: this.branch };
    return readEntries(this.#conversation, { ...query, ...branch }, signal);
  }

  async #step(step: Step, read: (signal: AbortSignal) => Promise<Partial<TimelineState>>): Promise<void> {
    this.#abort.abort();
    this.#abort = new AbortController();
    const { signal } = this.#abort;
    this.#arrived = [];
    this.#underWay = step;
    this.#set({ loading: true, error: undefined });
    try {
      const change = await read(signal);
      if (signal.aborted) return;
      this.#underWay = undefined;
      this.#set({ ...change, loading: false });
    } catch (error) {
      if (signal.aborted) return;
      this.#underWay = undefined;
      this.#failed = step;
      this.#set({ loading: false, error });
    }
  }

  #set(change: Partial<TimelineState>): void {
    this.state.update((old) => ({ ...old, ...change }));
  }
}
