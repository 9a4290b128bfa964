import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { embeddingServer } from "../../../test/support/servers/embedding-server.ts";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { openMemoryFile } from "../database/open.ts";
import type { EmbeddingChain } from "./chain.ts";
import { openEmbeddings } from "./open.ts";
import { StoredCache } from "./stored-cache.ts";

function chainOf(baseUrl: string, cache: StoredCache, model = "tiny"): EmbeddingChain {
  return openEmbeddings({ primary: { provider: "openai-compatible", model, dimensions: 8, baseUrl }, cache });
}

describe("the cache of embeddings", () => {
  it("survives a restart, and holds no text", async () => {
    const path = join(tempFolder(), "memory.db");
    const server = await embeddingServer();
    const first = await openMemoryFile(path);
    const before = await chainOf(server.url, new StoredCache(first)).embedBatch([
      "one secret",
      "two",
      "one secret",
    ]);
    first.close();
    const second = await openMemoryFile(path);
    const after = await chainOf(server.url, new StoredCache(second)).embedBatch(["two", "one secret"]);
    second.close();
    expect(server.requests.map(({ texts }) => texts)).toEqual([["one secret", "two"]]);
    expect(after.vectors).toEqual([before.vectors[1], before.vectors[0]]);
    expect(before.vectors[2]).toEqual(before.vectors[0]);
    expect(readFileSync(path).includes("one secret")).toBe(false);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it("asks only for what is missing, for another model or another purpose", async () => {
    const database = await openMemoryFile(join(tempFolder(), "memory.db"));
    const cache = new StoredCache(database);
    const server = await embeddingServer();
    await chainOf(server.url, cache).embedBatch(["one"]);
    await chainOf(server.url, cache).embedBatch(["one", "two"]);
    await chainOf(server.url, cache, "other").embedBatch(["one"]);
    await chainOf(server.url, cache).embedBatch(["one"], { purpose: "query" });
    expect(server.requests.map(({ texts }) => texts)).toEqual([["one"], ["two"], ["one"], ["one"]]);
    database.close();
  });

  it("makes room for new vectors by forgetting the oldest", async () => {
    const database = await openMemoryFile(join(tempFolder(), "memory.db"));
    const cache = new StoredCache(database, 3);
    for (const key of ["a", "b", "c", "d"]) cache.put("s", new Map([[key, Float32Array.of(1)]]));
    expect(cache.get("s", ["a", "b", "d"])).toEqual([undefined, Float32Array.of(1), Float32Array.of(1)]);
    database.close();
  });

  it("skips what it cannot write while another process writes", async () => {
    const path = join(tempFolder(), "memory.db");
    const [mine, theirs] = [await openMemoryFile(path), await openMemoryFile(path)];
    theirs.exec("BEGIN IMMEDIATE");
    const cache = new StoredCache(mine);
    cache.put("s", new Map([["a", Float32Array.of(1)]]));
    theirs.exec("ROLLBACK");
    expect(cache.get("s", ["a"])).toEqual([undefined]);
    cache.put("s", new Map([["a", Float32Array.of(1)]]));
    expect(cache.get("s", ["a"])).toEqual([Float32Array.of(1)]);
    mine.close();
    theirs.close();
  });
});
