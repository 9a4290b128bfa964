import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  openStore,
  type SearchOptions,
  type SearchPage,
  type SemanticModel,
  type Store,
  type StoreOptions,
} from "../../src/index.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "colloquy-semantic-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** Words that mean the same share a direction. */
const MEANINGS: readonly (readonly string[])[] = [
  ["dog", "puppy", "hound"],
  ["car", "automobile", "vehicle"],
  ["sea", "ocean", "water"],
  ["cook", "bake", "kitchen"],
];

class ToyModel implements SemanticModel {
  readonly dimensions: number;
  readonly model: string;
  readonly asked: string[] = [];
  failure: Error | undefined;

  constructor(model = "toy", dimensions = 8) {
    this.model = model;
    this.dimensions = dimensions;
  }

  async embed(text: string): Promise<Float32Array> {
    return this.#vector(text);
  }

  async embedBatch(texts: readonly string[]): Promise<Float32Array[]> {
    this.asked.push(...texts);
    return texts.map((text) => this.#vector(text));
  }

  #vector(text: string): Float32Array {
    if (this.failure !== undefined) throw this.failure;
    const vector = new Float32Array(this.dimensions).fill(0.01);
    for (const word of text.toLowerCase().split(/\W+/)) {
      const meaning = MEANINGS.findIndex((words) => words.includes(word));
      if (meaning !== -1) vector[meaning] = (vector[meaning] as number) + 1;
    }
    const length = Math.hypot(...vector);
    return vector.map((value) => value / length);
  }
}

async function filled(options: StoreOptions): Promise<Store> {
  const store = await openStore(`sqlite:${join(folder, "store.db")}`, options);
  const chat = await store.open("cli:pets");
  const texts = ["My puppy sleeps", "An automobile is in the yard", "The ocean is cold", "We bake bread"];
  await chat.append(texts.map((content, index) => ({ role: index % 2 ? "assistant" : "user", content })));
  return store;
}

/** A page of hits, once the index is complete: on a slow machine that takes longer than a search waits. */
async function searched(store: Store, text: string, options: SearchOptions): Promise<SearchPage> {
  for (;;) {
    const page = await store.search(text, options);
    if (page.indexed) return page;
  }
}

const snippets = async (store: Store, text: string, mode: "semantic" | "hybrid"): Promise<string[]> =>
  (await searched(store, text, { mode, limit: 2 })).hits.map(({ snippet }) => snippet);

describe("search by meaning", () => {
  it("finds a message without any of its words", async () => {
    await using store = await filled({ semantic: new ToyModel() });
    expect((await snippets(store, "hound", "semantic"))[0]).toBe("My puppy sleeps");
    expect((await snippets(store, "vehicle", "hybrid"))[0]).toBe("An automobile is in the yard");
  });

  it("obeys filters", async () => {
    await using store = await filled({ semantic: new ToyModel() });
    const { hits } = await searched(store, "hound role:assistant", { mode: "semantic" });
    expect(hits.map(({ role }) => role)).toEqual(["assistant", "assistant"]);
    expect((await searched(store, "hound", { mode: "semantic", keyPrefix: "web:" })).hits).toEqual([]);
  });

  it("says on which branch a hit is, and leaves other branches out", async () => {
    await using store = await filled({ semantic: new ToyModel() });
    const chat = await store.open("cli:pets");
    const { items } = await chat.messages();
    await chat.branch(items[0]?.id ?? null, { name: "side", checkout: true });
    await chat.append({ role: "user", content: "The hound barks" });
    await chat.checkout("main");
    const places = async (text: string): Promise<unknown[]> =>
      (await searched(store, text, { mode: "semantic", limit: 2 })).hits.map(
        ({ snippet, branch, active }) => [snippet, branch, active],
      );
    expect(await places("dog")).toContainEqual(["The hound barks", "side", false]);
    expect(await places("dog branch:active")).not.toContainEqual(["The hound barks", "side", false]);
    expect((await places("dog branch:active"))[0]).toEqual(["My puppy sleeps", "main", true]);
  });

  it("embeds each message once, and only when it is searched by meaning", async () => {
    const model = new ToyModel();
    await using store = await filled({ semantic: model });
    await store.search("puppy");
    expect(model.asked).toEqual([]);
    await searched(store, "puppy", { mode: "hybrid" });
    await searched(store, "puppy", { mode: "hybrid" });
    expect(model.asked).toHaveLength(4);
  });

  it("loses the vector with the message", async () => {
    await using store = await filled({ semantic: new ToyModel() });
    const { hits } = await searched(store, "hound", { mode: "semantic" });
    await (await store.get("cli:pets"))?.redact(hits[0]?.entry ?? "");
    expect(await snippets(store, "hound", "semantic")).not.toContain("My puppy sleeps");
    using database = new DatabaseSync(join(folder, "store.db-search"), { readOnly: true });
    expect(database.prepare("SELECT count(*) AS n FROM vectors").get()?.n).toBe(3);
    expect(database.prepare("SELECT count(*) AS n FROM vectors_bits").get()?.n).toBe(3);
  });

  it("embeds again for another model", async () => {
    await (await filled({ semantic: new ToyModel() })).close();
    const other = new ToyModel("other", 16);
    await using store = await openStore(`sqlite:${join(folder, "store.db")}`, { semantic: other });
    expect((await snippets(store, "hound", "semantic"))[0]).toBe("My puppy sleeps");
    expect(other.asked).toHaveLength(4);
  });

  it("falls back to words when the model fails, and says so", async () => {
    const model = new ToyModel();
    const problems: string[] = [];
    await using store = await filled({ semantic: model, onProblem: ({ message }) => problems.push(message) });
    model.failure = new Error("the model is away");
    await searched(store, "puppy", {});
    expect((await store.search("puppy", { mode: "hybrid" })).hits[0]?.snippet).toBe("My puppy sleeps");
    expect(problems.join()).toContain("the model is away");
    await expect(store.search("puppy", { mode: "semantic" })).rejects.toThrow("the model is away");
    model.failure = undefined;
    expect((await snippets(store, "hound", "hybrid"))[0]).toBe("My puppy sleeps");
  });

  it("is refused without a model", async () => {
    await using store = await openStore("ephemeral:");
    await expect(store.search("x", { mode: "semantic" })).rejects.toMatchObject({ code: "VALIDATION_ERROR" });
    await expect(openStore("ephemeral:", { semantic: {} as never })).rejects.toMatchObject({
      field: "semantic",
    });
  });
});
