/** Texts that make an index large or slow, if it lets them. */
import { describe, expect, it } from "vitest";
import { openStore, type Store } from "../../src/index.ts";
import { say } from "./kit.ts";

async function searched(store: Store, text: string): Promise<string[]> {
  for (;;) {
    const { hits, indexed } = await store.search(text);
    if (indexed) return hits.map(({ snippet }) => snippet);
  }
}

describe("a search", () => {
  it("answers from many identical messages, and finds the one that differs", async () => {
    await using store = await openStore("ephemeral:");
    const same = say(...Array.from({ length: 1000 }, () => "the same lighthouse again"));
    for (let round = 0; round < 20; round++) {
      await (await store.create()).append(same);
      if (round === 7) await (await store.create()).append(say("the same lighthouse keeper"));
    }
    expect(await searched(store, "lighthouse")).toHaveLength(10);
    expect((await searched(store, "lighthouse keeper"))[0]).toBe("the same lighthouse keeper");
  });

  it("finds the beginning of a message of 5 MB, and answers about its end", async () => {
    await using store = await openStore("ephemeral:");
    const long = `harbour ${"0123456789abcdef ".repeat(300_000)} lighthouse`;
    await (await store.create()).append(say(long, "a short one"));
    const [first] = await searched(store, "harbour");
    expect(first).toMatch(/^harbour 0123456789abcdef/);
    expect(await searched(store, "lighthouse")).toEqual([]);
  });
});
