/** Erasures that are refused, killed or late, and processes that index at the same time. */
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { tempFolder } from "../../test/support/temp-folder.ts";
import type { Change, ConversationInfo, FeedPlace } from "../engine/index.ts";
import type { StoredEntry } from "../message/types.ts";
import { parseQuery } from "../text/query.ts";
import { SearchIndex } from "./search-index.ts";
import type { SearchSource } from "./source.ts";

/** A store that a test changes by hand, and that it can stop in the middle of an answer. */
class Shelf implements SearchSource {
  readonly logs = new Map<string, StoredEntry[]>();
  readonly feed: Omit<Change, "place">[] = [];
  /** Called before an answer is returned, after it was read. */
  hold: (call: "changes" | "entries" | "info", id?: string) => Promise<void> = async () => {};

  say(conversation: string, ...texts: string[]): void {
    for (const content of texts) {
      const log = this.logs.get(conversation) ?? [];
      this.logs.set(conversation, log);
      const seq = log.length + 1;
      const at = "2026-01-01T00:00:00.000Z";
      const entry = {
        id: `${conversation}-${seq}`,
        seq,
        at,
        kind: "message",
        message: { role: "user", content },
      };
      log.push(entry as StoredEntry);
      this.feed.push({ type: "entry", conversation, entry: entry as StoredEntry });
    }
  }

  purge(conversation: string): void {
    this.logs.delete(conversation);
    this.feed.push({ type: "purged", conversation });
  }

  async changes(after: FeedPlace | null, limit: number): Promise<{ changes: Change[]; place: FeedPlace }> {
    const from = after?.[0] ?? this.feed.length;
    const changes = this.feed.slice(from, from + limit).flatMap((change, index): Change[] => {
      const isGone = change.type === "entry" && !this.logs.has(change.conversation);
      return isGone ? [] : [{ ...change, place: [from + index + 1, 0] }];
    });
    const place: FeedPlace = [Math.min(this.feed.length, from + limit), 0];
    await this.hold("changes");
    return { changes, place };
  }

  async info(id: string): Promise<ConversationInfo | undefined> {
    await this.hold("info", id);
    if (!this.logs.has(id)) return undefined;
    return { id, key: null, channel: null, title: null, deletedAt: null } as ConversationInfo;
  }

  async *conversations(): AsyncGenerator<ConversationInfo[]> {
    for (const id of [...this.logs.keys()]) yield [(await this.info(id)) as ConversationInfo];
  }

  async entriesAfter(id: string, seq: number): Promise<{ entries: StoredEntry[]; more: boolean }> {
    const all = (this.logs.get(id) ?? []).filter((entry) => entry.seq > seq);
    await this.hold("entries");
    return { entries: all.slice(0, 500), more: all.length > 500 };
  }

  async fill(entry: StoredEntry): Promise<StoredEntry> {
    return entry;
  }
}

let nowMs = 1_800_000_000_000;

function indexOf(source: SearchSource, path: string): SearchIndex {
  const onProblem = (problem: Error): never => {
    throw problem;
  };
  return new SearchIndex({ source, path, onProblem, nowMs: () => nowMs });
}

/** How many messages have a word. */
function count(index: SearchIndex, word: string): number {
  return index.rank(parseQuery(word, [0]), {}, () => true).filter(({ isMatch }) => isMatch).length;
}

const FILLER = Array.from({ length: 100 }, (_, index) => `filler${index}`);

function newIndex(): { shelf: Shelf; path: string; index: SearchIndex } {
  const shelf = new Shelf();
  const path = join(tempFolder(), "search.db");
  return { shelf, path, index: indexOf(shelf, path) };
}

describe("an erasure", () => {
  it("that the store refuses leaves the words in the index", async () => {
    const { shelf, index } = newIndex();
    shelf.say("a", "plimsoll7");
    shelf.say("b", ...FILLER);
    await index.update(9000);
    const erasure = await index.forget("a");
    expect(count(index, "plimsoll7")).toBe(0);
    await index.settle(erasure, false);
    expect([await index.update(9000), count(index, "plimsoll7")]).toEqual([true, 1]);
    await index.close();
  });

  it("that was killed before the store erased the words is undone after a minute", async () => {
    const { shelf, index, path } = newIndex();
    shelf.say("a", "plimsoll7", "quagmire8");
    shelf.say("b", ...FILLER);
    await index.update(9000);
    await index.forget("a", 2);
    await index.close();
    const next = indexOf(shelf, path);
    expect(await next.update(9000)).toBe(false);
    shelf.say("a", "sextant6");
    nowMs += 61_000;
    expect(await next.update(9000)).toBe(true);
    expect(["plimsoll7", "quagmire8", "sextant6"].map((word) => count(next, word))).toEqual([1, 1, 1]);
    await next.close();
  });

  it("by pruning leaves the rest to be found, even if others have seen the pruning before its end", async () => {
    const { shelf, index, path } = newIndex();
    shelf.say("a", "plimsoll7", "quagmire8");
    shelf.say("b", ...FILLER);
    await index.update(9000);
    const other = indexOf(shelf, path);
    const erasure = await index.forget("a");
    shelf.logs.get("a")?.pop();
    shelf.feed.push({ type: "swept", conversation: "a" });
    await other.update(9000);
    await index.settle(erasure, true);
    nowMs += 1;
    expect(await other.update(9000)).toBe(true);
    expect(["plimsoll7", "quagmire8"].map((word) => count(other, word))).toEqual([1, 0]);
    await Promise.all([index.close(), other.close()]);
  });

  it("that takes so long that it looks killed removes the words at its end", async () => {
    const { shelf, index, path } = newIndex();
    shelf.say("a", "plimsoll7");
    shelf.say("b", ...FILLER);
    await index.update(9000);
    const erasure = await index.forget("a");
    nowMs += 61_000;
    const other = indexOf(shelf, path);
    await other.update(9000);
    expect(count(other, "plimsoll7")).toBe(1);
    shelf.purge("a");
    await index.settle(erasure, true);
    expect(count(index, "plimsoll7")).toBe(0);
    expect([await other.update(9000), count(other, "filler7")]).toEqual([true, 1]);
    await Promise.all([index.close(), other.close()]);
  });

  it.each(["before it was settled", "after it was settled"])(
    "keeps out words that another process has read, and adds %s",
    async (moment) => {
      const { shelf, index, path } = newIndex();
      shelf.say("b", ...FILLER);
      await index.update(9000);
      shelf.say("a", "plimsoll7");
      shelf.say("b", "later9");
      const other = indexOf(shelf, path);
      const [read, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      // The words of the first conversation are cut when the second is looked at.
      shelf.hold = async (call, id) => {
        if (call !== "info" || id !== "b") return;
        read.resolve();
        await go.promise;
      };
      const updating = other.update(9000);
      await read.promise;
      const erasure = await index.forget("a");
      shelf.hold = async () => {};
      if (moment.startsWith("before")) {
        go.resolve();
        await updating;
        expect(count(index, "plimsoll7")).toBe(0);
      }
      shelf.purge("a");
      await index.settle(erasure, true);
      go.resolve();
      await updating;
      expect(count(index, "plimsoll7")).toBe(0);
      expect([await other.update(9000), count(other, "filler7")]).toEqual([true, 1]);
      await Promise.all([index.close(), other.close()]);
      // If they had been added, the index would have been cleared to get rid of them.
      using database = new DatabaseSync(path);
      const { value } = database.prepare("SELECT value FROM state WHERE name = 'generation'").get() ?? {};
      expect(value).toBe("1");
    },
  );
});

describe("two processes that index at once", () => {
  it("lose no message when one has read more than the other", async () => {
    const { shelf, index, path } = newIndex();
    shelf.say("a", "one1");
    await index.update(9000);
    shelf.say("a", "two2", "three3");
    shelf.say("b", "beta0");
    const other = indexOf(shelf, path);
    const [read, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    shelf.hold = async (call) => {
      if (call !== "changes") return;
      read.resolve();
      await go.promise;
    };
    const first = index.update(9000);
    await read.promise;
    shelf.say("a", "four4", "five5");
    // The second has read two messages more, and is about to add them when the first adds its own.
    shelf.hold = async (call, id) => {
      if (call !== "info" || id !== "b") return;
      shelf.hold = async () => {};
      go.resolve();
      await first;
    };
    expect([await other.update(9000), await first]).toEqual([true, true]);
    const words = ["one1", "two2", "three3", "four4", "five5"];
    expect(words.map((word) => count(other, word))).toEqual([1, 1, 1, 1, 1]);
    await Promise.all([index.close(), other.close()]);
  });

  it("lose no message when one clears the index while the other builds it", async () => {
    const { shelf, index, path } = newIndex();
    shelf.say("a", ...Array.from({ length: 600 }, (_, n) => `early${n}`));
    shelf.say("c", ...Array.from({ length: 1000 }, (_, n) => `erased${n}`));
    shelf.say("d", ...Array.from({ length: 500 }, (_, n) => `middle${n}`));
    shelf.say("b", "late0");
    const other = indexOf(shelf, path);
    let calls = 0;
    shelf.hold = async (call) => {
      // Everything before the last conversation is in the index by now.
      if (call !== "entries" || calls++ !== 5) return;
      const erasure = await other.forget("c");
      shelf.purge("c");
      await other.settle(erasure, true);
    };
    expect(await index.update(9000)).toBe(true);
    expect(calls).toBeGreaterThan(5);
    expect(["early7", "early599", "late0"].map((word) => count(index, word))).toEqual([1, 1, 1]);
    await Promise.all([index.close(), other.close()]);
  });
});
