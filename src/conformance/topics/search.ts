import assert from "node:assert/strict";
import type { SearchPage } from "../../store/search/search.ts";
import type { SearchOptions } from "../../store/search/search-query.ts";
import type { Store } from "../../store/store.ts";
import { filesWith } from "../disk.ts";
import { idOf, refuses, say, type Topic } from "../kit.ts";

/** A page of hits, once the index is complete: on a slow machine that takes longer than a search waits. */
async function searched(store: Store, text: string, options: SearchOptions = {}): Promise<SearchPage> {
  for (;;) {
    const page = await store.search(text, options);
    if (page.indexed) return page;
  }
}

/** The snippets of all hits. */
async function found(store: Store, text: string): Promise<string[]> {
  return (await searched(store, text)).hits.map(({ snippet }) => snippet);
}

export const search: Topic = (check) => {
  check("a message is found as soon as it is appended", async (bench) => {
    const store = await bench.open();
    const chat = await store.create({ title: "Harbour" });
    const { entries } = await chat.append(say("the lighthouse keeper", "nothing to see"));
    const { hits } = await searched(store, "lighthouse");
    const [hit] = hits;
    assert.equal(hit?.entry, idOf(entries[0]));
    assert.deepEqual(
      [hit?.conversation, hit?.title, hit?.seq, hit?.branch, hit?.active, hit?.role],
      [chat.id, "Harbour", 1, "main", true, "user"],
    );
    assert.deepEqual(
      hit?.highlights.map(([from, to]) => hit.snippet.slice(from, to)),
      ["lighthouse"],
    );
    await chat.append(say("a second lighthouse"));
    assert.equal((await found(store, "second lighthouse"))[0], "a second lighthouse");
  });

  check("a restored conversation is found again, a deleted one is not", async (bench) => {
    const store = await bench.open();
    const chat = await store.create();
    await chat.append(say("the lighthouse keeper"));
    await searched(store, "lighthouse");
    await store.delete(chat.id);
    assert.deepEqual(await found(store, "lighthouse"), []);
    await store.restore(chat.id);
    assert.deepEqual(await found(store, "lighthouse"), ["the lighthouse keeper"]);
  });

  check("deleted, redacted, pruned and purged words are in no file of the index", async (bench) => {
    const store = await bench.open();
    const chat = await store.create();
    const words = Array.from({ length: 60 }, (_, index) => `filler${index} text`);
    await (await store.create({ key: "cli:other" })).append(say(...words));
    const { entries } = await chat.append(say("first plimsoll7", "second quagmire8", "third sextant6"));
    await chat.branch(idOf(entries[0]), { name: "side", checkout: true });
    await chat.append(say("a fourth, tarpaulin9"));
    await chat.checkout("main");
    await searched(store, "plimsoll7");
    const isIndexed = filesWith(bench.folder, "quagmire8").some((file) => file.includes("search"));
    assert.equal(isIndexed, bench.persistent, "The files that are looked at are those of the index");
    await chat.redact(idOf(entries[1]));
    await chat.pruneBranches({ names: ["side"] });
    for (const gone of ["quagmire8", "tarpaulin9"]) {
      assert.deepEqual(await found(store, gone), [], gone);
      assert.deepEqual(filesWith(bench.folder, gone), [], gone);
    }
    assert.deepEqual(await found(store, "plimsoll7"), ["first plimsoll7"]);
    assert.deepEqual(await found(store, "plimsoll7 first"), ["first plimsoll7", "third sextant6"]);
    const receipt = await store.purge(chat.id, { force: true });
    assert.deepEqual([receipt.copies, await found(store, "plimsoll7")], [[], []]);
    for (const gone of ["plimsoll7", "sextant6"]) assert.deepEqual(filesWith(bench.folder, gone), [], gone);
    assert.equal((await found(store, "filler7"))[0], "filler7 text");
  });

  check("a removal that is refused leaves the words in the index", async (bench) => {
    const store = await bench.open();
    const chat = await store.create();
    await chat.append(say("the lighthouse keeper"));
    await store.search("lighthouse");
    await refuses("CONFLICT", store.purge(chat.id));
    assert.deepEqual(await found(store, "lighthouse"), ["the lighthouse keeper"]);
  });

  check("a hit names its branch, and branch:active leaves the others out", async (bench) => {
    const store = await bench.open();
    const chat = await store.create();
    const { entries } = await chat.append(say("shared anchor", "main anchor"));
    await chat.branch(idOf(entries[0]), { name: "side", checkout: true });
    await chat.append(say("side anchor"));
    const places = async (text: string): Promise<Record<string, unknown>> => {
      const { hits } = await searched(store, text);
      return Object.fromEntries(hits.map(({ snippet, branch, active }) => [snippet, [branch, active]]));
    };
    assert.deepEqual(await places("anchor"), {
      "shared anchor": ["main", true],
      "main anchor": ["main", false],
      "side anchor": ["side", true],
    });
    assert.deepEqual(Object.keys(await places("anchor branch:active")).sort(), [
      "shared anchor",
      "side anchor",
    ]);
    assert.deepEqual(Object.keys(await places("anchor branch:main")).sort(), [
      "main anchor",
      "shared anchor",
    ]);
    await chat.checkout("main");
    assert.deepEqual(await places("anchor"), {
      "shared anchor": ["main", true],
      "main anchor": ["main", true],
      "side anchor": ["side", false],
    });
  });

  check("filters limit hits to a role, channel, key, model, tool and time", async (bench) => {
    const store = await bench.open();
    const chat = await store.open("discord:dm:42");
    await chat.append([
      { role: "user", content: "compass question", at: "2025-03-10T10:00:00.000Z" },
      {
        role: "assistant",
        content: "compass answer",
        model: "claude-opus-4",
        at: "2025-04-10T10:00:00.000Z",
      },
      {
        role: "assistant",
        content: [{ type: "tool_use", id: "t", name: "Bash", input: { command: "echo compass" } }],
        at: "2025-05-10T10:00:00.000Z",
      },
    ]);
    await (await store.open("cli:other")).append(say("compass elsewhere"));
    const count = async (text: string): Promise<number> => (await searched(store, text)).hits.length;
    assert.deepEqual(
      await Promise.all(
        [
          "compass role:user",
          "compass channel:discord",
          "compass key:cli:",
          "compass model:opus",
          "compass tool:Bash",
          "compass before:2025-04",
          "compass after:2025-04 before:2025-05",
          "compass in:tool",
          "compass in:title",
        ].map(count),
      ),
      [2, 3, 1, 1, 1, 1, 1, 1, 0],
    );
  });

  check("roles and the names of writers are found like words", async (bench) => {
    const store = await bench.open();
    const provenance = { channel: "discord", fromName: "Ottoline Frost" };
    const chat = await store.open("discord:dm:42");
    await chat.append([
      { role: "user", content: "compass here", provenance },
      { role: "user", content: "one" },
      { role: "user", content: "two" },
      { role: "user", content: "three" },
      { role: "assistant", content: "compass there" },
    ]);
    const first = async (text: string): Promise<string | undefined> => (await found(store, text))[0];
    assert.deepEqual(await found(store, "ottoline"), ["compass here"]);
    assert.equal(await first("compass assistant"), "compass there");
    assert.equal(await first("compass user"), "compass here");
  });

  check("every text is a query, and every other value is refused", async (bench) => {
    const store = await bench.open();
    await (await store.create()).append(say("plain words"));
    for (const text of [
      "",
      " ",
      '"',
      '" "',
      "-",
      "OR",
      "a OR",
      "* AND NOT",
      "the",
      "\0",
      "role:",
      "')--",
      "NEAR(",
      "שלום",
    ]) {
      await searched(store, text);
    }
    assert.equal((await searched(store, `plain ${"x".repeat(10_000)}`)).hits.length, 1);
    await refuses("VALIDATION_ERROR", store.search(undefined as never));
    await refuses("VALIDATION_ERROR", store.search("x", { limit: 0 }));
    await refuses("VALIDATION_ERROR", store.search("x", { cursor: "nonsense" }));
    await refuses("VALIDATION_ERROR", store.search("x", { role: "nobody" as never }));
  });

  check("pages and iteration have every hit once", async (bench) => {
    const store = await bench.open();
    const chat = await store.create();
    await chat.append(say(...Array.from({ length: 25 }, (_, index) => `buoy number ${index}`)));
    await searched(store, "buoy");
    const all: (number | null)[] = [];
    for await (const { seq } of store.search("buoy", { limit: 4 })) all.push(seq);
    assert.equal(new Set(all).size, 25);
    const first = await searched(store, "buoy", { limit: 10 });
    const second = await searched(store, "buoy", { limit: 10, cursor: first.cursor });
    assert.equal(new Set([...first.hits, ...second.hits].map(({ seq }) => seq)).size, 20);
    assert.deepEqual((await searched(store, "buoy", { cursor: null })).hits, []);
  });

  check("an index that is built again finds the same", async (bench) => {
    const store = await bench.open();
    await (await store.create()).append(say("the lighthouse keeper"));
    await searched(store, "lighthouse");
    await store.rebuildSearch();
    assert.deepEqual(await found(store, "lighthouse"), ["the lighthouse keeper"]);
  });
};
