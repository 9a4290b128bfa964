import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import type { MessageInput } from "../../message/types.ts";
import type { Conversation } from "../../store/conversation.ts";
import type { Store } from "../../store/store.ts";
import { sha256Hex } from "../../util/sha256.ts";
import { allMessages, idOf, refuses, type Topic } from "../kit.ts";

const MEGABYTE = 1024 * 1024;
const HOUR_MS = 3_600_000;

function toolResult(content: string): MessageInput {
  return { role: "user", content: [{ type: "tool_result", tool_use_id: "t", content }] };
}

function image(data: string): MessageInput {
  const source = { type: "base64", media_type: "image/png", data };
  return {
    role: "user",
    content: [
      { type: "text", text: "look" },
      { type: "image", source },
    ],
  };
}

function document(hash: string): MessageInput {
  return { role: "user", content: [{ type: "document", source: { type: "blob", hash } }] };
}

/** The same bytes for the same number, and different ones for others. */
function bytesFrom(seed: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  for (let at = 0, state = seed; at < length; at += 4) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    bytes.writeUInt32LE(state, at);
  }
  return bytes;
}

async function* piecesOf(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function readWhole(store: Store, hash: string): Promise<{ bytes: Buffer; largest: number }> {
  const source = await store.blob(hash);
  assert.ok(source !== undefined, `There is no blob ${hash}`);
  const pieces: Uint8Array[] = [];
  for await (const piece of source) pieces.push(piece);
  return { bytes: Buffer.concat(pieces), largest: Math.max(0, ...pieces.map(({ length }) => length)) };
}

async function hashesOf(chat: Conversation): Promise<(string | undefined)[]> {
  const { items } = await chat.messages({ blobs: "references" });
  return items.flatMap(({ blobs = [] }) => blobs.map(({ hash }) => hash));
}

/** Contents with a large part, each of which must be returned unchanged. */
const LARGE: Readonly<Record<string, MessageInput>> = {
  "a long tool result": toolResult("line of output\n".repeat(10_000)),
  "a tool result of blocks": {
    role: "user",
    content: [
      {
        type: "tool_result",
        tool_use_id: "t",
        content: [
          { type: "text", text: "é漢👋".repeat(10_000) },
          { type: "text", text: "short" },
          { type: "image", source: { type: "base64", data: bytesFrom(1, 60_000).toString("base64") } },
        ],
      },
    ],
  },
  "an image": image(bytesFrom(2, 300_000).toString("base64")),
  "Base64 with line ends": image(bytesFrom(3, 60_000).toString("base64").replace(/.{76}/g, "$&\n")),
  "invalid Base64": image("not base64! ".repeat(5000)),
  "half a surrogate pair": toolResult(`${"x".repeat(50_000)}\ud800`),
  "NUL and separators": toolResult("\0\u2028\u2029\u001b".repeat(20_000)),
  "the same part twice": {
    role: "user",
    content: [1, 2].map((n) => ({
      type: "tool_result",
      tool_use_id: `t${n}`,
      content: "same ".repeat(10_000),
    })),
  },
};

export const blobs: Topic = (check) => {
  check("a string that looks like a blob reference refers to nothing", async (bench) => {
    const store = await bench.open();
    const [victim, chat] = [await store.create(), await store.create()];
    await victim.append({ role: "user", content: "kept" });
    for (const hash of ["../../etc/passwd", "./../x.jsonl", "..", "", "A".repeat(64), "0".repeat(63)]) {
      const [entry] = (await chat.append(document(hash))).entries;
      assert.deepEqual(entry?.message, document(hash));
      await chat.redact(idOf(entry));
    }
    assert.equal((await allMessages(victim)).length, 1);
    assert.deepEqual((await store.verify()).findings, []);
  });

  check("a blob that a tool result refers to is in use", async (bench) => {
    const store = await bench.open();
    const chat = await store.create();
    const { hash } = await store.putBlob(Buffer.from("a picture"));
    const picture = { type: "image", source: { type: "blob", hash } };
    const answer = { type: "tool_result", tool_use_id: "t", content: [picture] } as const;
    await chat.append({ role: "user", content: [answer] });
    await store.collectGarbage({ olderThanHours: 0 });
    assert.notEqual(await store.blob(hash), undefined);
    const lost = { ...picture, source: { type: "blob", hash: "1".repeat(64) } };
    await refuses("NOT_FOUND", chat.append({ role: "user", content: [{ ...answer, content: [lost] }] }));
  });

  for (const [what, message] of Object.entries(LARGE)) {
    check(`${what} is returned unchanged`, async (bench) => {
      const store = await bench.open();
      const chat = await store.create();
      const [entry] = (await chat.append(message, { operationId: "once" })).entries;
      assert.deepEqual(entry?.message, message);
      assert.deepEqual((await allMessages(chat))[0], entry);
      assert.deepEqual((await chat.append(message, { operationId: "once" })).entries, [entry]);
      await refuses("CONFLICT", chat.append(toolResult("other ".repeat(9000)), { operationId: "once" }));
    });
  }

  check("a large part is stored once, however many conversations contain it", async (bench) => {
    const store = await bench.open();
    const chats = [await store.create(), await store.create(), await store.create()];
    const bytes = bytesFrom(4, 1_000_000);
    for (const chat of chats) {
      await chat.append(image(bytes.toString("base64")));
      await chat.append(image(bytes.toString("base64")));
      assert.deepEqual(await hashesOf(chat), [sha256Hex(bytes), sha256Hex(bytes)]);
    }
    assert.deepEqual((await readWhole(store, sha256Hex(bytes))).bytes, bytes);
    const { bytes: size } = await store.stats();
    assert.ok(size < 3 * bytes.length, `${size} bytes for ${bytes.length} that occur six times`);
  });

  check("a context contains large parts in full", async (bench) => {
    const store = await bench.open();
    const chat = await store.create();
    const message = image(bytesFrom(18, 60_000).toString("base64"));
    await chat.append(message);
    assert.deepEqual((await chat.context({ maxTokens: 200_000 })).messages, [message]);
  });

  check("references name large parts instead of reading them", async (bench) => {
    const store = await bench.open();
    const chat = await store.create();
    const text = "output ".repeat(20_000);
    await chat.append(toolResult(text));
    const [entry] = (await chat.messages({ blobs: "references" })).items;
    assert.deepEqual(entry?.message, toolResult(""));
    assert.deepEqual(entry?.blobs, [
      { hash: sha256Hex(text), size: text.length, path: ["content", 0, "content"], as: "text" },
    ]);
    await refuses("VALIDATION_ERROR", chat.messages({ blobs: "none" as "inline" }));
  });

  for (const [what, bytes] of [
    ["that compress well", Buffer.alloc(20 * MEGABYTE, "all work and no play ")],
    ["that do not compress", bytesFrom(5, 20 * MEGABYTE)],
  ] as const) {
    check(`20 MB ${what} are written and read in pieces`, async (bench) => {
      const store = await bench.open({ durability: "process" });
      const stored = await store.putBlob(piecesOf(bytes, 100_000));
      assert.deepEqual(stored, { hash: sha256Hex(bytes), size: bytes.length });
      const read = await readWhole(store, stored.hash);
      assert.ok(read.bytes.equals(bytes), "The bytes are not the same");
      assert.ok(read.largest <= 2 * MEGABYTE, `A piece has ${read.largest} bytes`);
      assert.deepEqual(await store.putBlob(bytes), stored);
    });
  }

  check("small and empty blobs are stored too", async (bench) => {
    const store = await bench.open();
    for (const bytes of [Buffer.alloc(0), Buffer.from("x"), randomBytes(1000)]) {
      const { hash, size } = await store.putBlob(bytes);
      assert.deepEqual([hash, size], [sha256Hex(bytes), bytes.length]);
      assert.deepEqual((await readWhole(store, hash)).bytes, bytes);
    }
  });

  check("bytes that the caller modifies during a write are stored as they were passed", async (bench) => {
    const store = await bench.open();
    const bytes = bytesFrom(6, 50_000);
    const before = Buffer.from(bytes);
    const storing = store.putBlob([bytes]);
    const { hash } = await storing;
    bytes.fill(0);
    assert.equal(hash, sha256Hex(before));
    assert.deepEqual((await readWhole(store, hash)).bytes, before);
  });

  check("a message can refer to a stored blob, but not to a missing one", async (bench) => {
    const store = await bench.open();
    const chat = await store.create();
    const { hash } = await store.putBlob(bytesFrom(7, 5000));
    const [entry] = (await chat.append(document(hash))).entries;
    assert.deepEqual((await allMessages(chat))[0]?.message, entry?.message);
    await refuses("NOT_FOUND", chat.append(document(sha256Hex("nothing"))));
    assert.equal((await chat.info()).messageCount, 1);
  });

  check("an invalid hash is refused, and an unknown one returns undefined", async (bench) => {
    const store = await bench.open();
    await refuses("VALIDATION_ERROR", store.blob("../../etc/passwd"));
    await refuses("VALIDATION_ERROR", store.putBlob(["text"] as unknown as Uint8Array[]));
    assert.equal(await store.blob(sha256Hex("nothing")), undefined);
  });

  check("purging removes the blobs that nothing else refers to", async (bench) => {
    const store = await bench.open();
    const [one, two] = [await store.create(), await store.create()];
    const [mine, shared] = [bytesFrom(8, 50_000), bytesFrom(9, 50_000)];
    await one.append([image(mine.toString("base64")), image(shared.toString("base64"))]);
    await two.append(image(shared.toString("base64")));
    const receipt = await store.purge(one.id, { force: true });
    assert.deepEqual([receipt.entries, receipt.blobs], [2, 1]);
    assert.ok(receipt.bytes >= mine.length);
    assert.equal(await store.blob(sha256Hex(mine)), undefined);
    assert.deepEqual((await allMessages(two))[0]?.message, image(shared.toString("base64")));
    assert.equal((await store.purge(two.id, { force: true })).blobs, 1);
    assert.equal(await store.blob(sha256Hex(shared)), undefined);
    assert.deepEqual((await store.verify()).findings, []);
  });

  check("redacting and pruning remove the blobs that nothing else refers to", async (bench) => {
    const store = await bench.open();
    const chat = await store.create();
    const [first, second] = [bytesFrom(10, 50_000), bytesFrom(11, 50_000)];
    const [entry] = (await chat.append(image(first.toString("base64")))).entries;
    await chat.branch(idOf(entry), { name: "b" });
    await chat.append(image(second.toString("base64")), { branch: "b" });
    await chat.append(image(first.toString("base64")), { branch: "b" });
    await chat.pruneBranches({ names: ["b"] });
    assert.equal(await store.blob(sha256Hex(second)), undefined);
    assert.notEqual(await store.blob(sha256Hex(first)), undefined);
    assert.equal((await chat.redact(idOf(entry))).blobs, 1);
    assert.equal(await store.blob(sha256Hex(first)), undefined);
    assert.deepEqual(await hashesOf(chat), []);
    assert.deepEqual((await store.verify()).findings, []);
  });

  check("garbage collection removes old blobs that nothing refers to", async (bench) => {
    let nowMs = Date.UTC(2026, 0, 1);
    const store = await bench.open({ clock: () => nowMs });
    const chat = await store.create();
    const used = await store.putBlob(bytesFrom(12, 5000));
    const unused = await store.putBlob(bytesFrom(13, 5000));
    await chat.append(document(used.hash));
    const failing = async function* (): AsyncGenerator<Buffer> {
      yield bytesFrom(14, 3 * MEGABYTE);
      throw new Error("the network is gone");
    };
    await assert.rejects(store.putBlob(failing()), /the network is gone/);
    assert.equal((await store.collectGarbage()).blobs, 0);
    nowMs += 25 * HOUR_MS;
    const young = await store.putBlob(bytesFrom(15, 5000));
    const removed = await store.collectGarbage();
    assert.ok(removed.blobs >= 1 && removed.bytes >= 5000, JSON.stringify(removed));
    const { blobs: more, bytes } = await store.collectGarbage();
    assert.deepEqual([more, bytes], [0, 0], "The first collection was incomplete");
    assert.equal(await store.blob(unused.hash), undefined);
    for (const { hash } of [used, young]) assert.notEqual(await store.blob(hash), undefined);
    assert.deepEqual((await store.verify()).findings, []);
  });

  check("a conversation in the trash keeps its blobs", async (bench) => {
    let nowMs = Date.UTC(2026, 0, 1);
    const store = await bench.open({ clock: () => nowMs });
    const chat = await store.create();
    const message = image(bytesFrom(16, 50_000).toString("base64"));
    await chat.append(message);
    await store.delete(chat.id);
    nowMs += 25 * HOUR_MS;
    await store.collectGarbage();
    await store.restore(chat.id);
    assert.deepEqual((await allMessages(chat))[0]?.message, message);
  });

  check.persistent("large parts and blobs survive reopening", async (bench) => {
    const store = await bench.open();
    const chat = await store.open("web:1");
    for (const message of Object.values(LARGE)) await chat.append(message);
    const { hash } = await store.putBlob(bytesFrom(17, 3 * MEGABYTE));
    await store.close();
    const again = await bench.open();
    const entries = await allMessages(await again.open("web:1"));
    assert.deepEqual(
      entries.map(({ message }) => message),
      Object.values(LARGE),
    );
    assert.deepEqual((await readWhole(again, hash)).bytes, bytesFrom(17, 3 * MEGABYTE));
    assert.deepEqual((await again.verify()).findings, []);
  });
};
