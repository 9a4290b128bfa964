import { randomUUID } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { EphemeralEngine } from "../../engine/ephemeral/ephemeral-engine.ts";
import type { Engine, Operation, Outcome } from "../../engine/index.ts";
import { openStore } from "../open.ts";
import { WriteQueue } from "./write-queue.ts";

/** Records how many operations arrive together, and fails on request. */
class WatchedEngine extends EphemeralEngine {
  readonly batches: number[] = [];
  failing = false;

  override commit(operations: readonly Operation[]): Outcome[] {
    this.batches.push(operations.length);
    if (this.failing) throw new Error("the disk is gone");
    return super.commit(operations);
  }
}

const newConversation = (): Operation => ({
  ...{ type: "create", id: randomUUID(), idGiven: false, resume: false, at: "2026-01-01T00:00:00.000Z" },
  ...{ key: null, title: null, channel: null, model: null, profileId: null },
});

const hello = { role: "user", content: "hello" } as const;

describe("group commit", () => {
  it("passes operations that arrive together to the engine at once", async () => {
    const engine = new WatchedEngine();
    const store = await openStore(engine);
    const chats = await Promise.all(Array.from({ length: 64 }, () => store.create()));
    await Promise.all(chats.map((chat) => chat.append(hello)));
    expect(engine.batches).toEqual([64, 64]);
  });

  it("lets each writer's next message join the next batch", async () => {
    const engine = new WatchedEngine();
    const store = await openStore(engine);
    const chats = await Promise.all(Array.from({ length: 8 }, () => store.create()));
    await Promise.all(
      chats.map(async (chat) => {
        for (let n = 0; n < 5; n++) await chat.append(hello);
      }),
    );
    expect(engine.batches).toEqual([8, 8, 8, 8, 8, 8]);
  });

  it("waits for an engine in another thread until no more operations arrive", async () => {
    const engine = new WatchedEngine();
    const store = await openStore(elsewhere(engine));
    const chat = await store.create();
    const appended: Promise<unknown>[] = [chat.append(hello)];
    for (let turn = 0; turn < 5; turn++) {
      await setImmediate();
      appended.push(chat.append(hello));
    }
    await Promise.all(appended);
    expect(engine.batches).toEqual([1, 6]);
  });

  it("commits although operations never stop arriving", async () => {
    const engine = new WatchedEngine();
    const store = await openStore(elsewhere(engine));
    const chat = await store.create();
    let isCommitted = false;
    const appended: Promise<unknown>[] = [
      chat.append(hello).then(() => {
        isCommitted = true;
      }),
    ];
    for (let turn = 0; turn < 100 && !isCommitted; turn++) {
      await setImmediate();
      appended.push(chat.append(hello));
    }
    expect(isCommitted).toBe(true);
    await Promise.all(appended);
  });

  it("bounds a batch by count and by bytes", async () => {
    const engine = new WatchedEngine();
    const store = await openStore(engine);
    const chat = await store.create();
    await Promise.all(Array.from({ length: 1500 }, () => chat.append(hello)));
    expect(engine.batches).toEqual([1, 1024, 476]);
    const large = { role: "user", content: "x".repeat(6 * 1024 * 1024) } as const;
    await Promise.all([chat.append(large), chat.append(large), chat.append(large)]);
    expect(engine.batches.slice(3)).toEqual([2, 1]);
  });

  it("never splits what belongs together", async () => {
    const engine = new WatchedEngine();
    const queue = new WriteQueue(engine, () => {});
    const create = (): Promise<unknown> => queue.push(newConversation());
    const several = (count: number): Promise<unknown>[] => Array.from({ length: count }, create);
    await Promise.all([create(), ...queue.together(() => several(1500)), ...several(600)]);
    expect(engine.batches).toEqual([1501, 600]);
  });

  it("rejects every operation of a failed batch, and continues afterwards", async () => {
    const engine = new WatchedEngine();
    const store = await openStore(engine);
    const chat = await store.create();
    engine.failing = true;
    const results = await Promise.allSettled([chat.append(hello), chat.append(hello)]);
    expect(results.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    engine.failing = false;
    expect((await chat.append(hello)).entries[0]?.seq).toBe(1);
  });

  it("rejects all callers when an engine returns nothing", async () => {
    const engine = new WatchedEngine();
    engine.commit = () => undefined as unknown as Outcome[];
    const store = await openStore(engine);
    await expect(store.create()).rejects.toMatchObject({
      code: "INTERNAL_ERROR",
      message: /returned no result/,
    });
    await store.close();
  });
});

/** The same engine, whose commits have to be awaited. */
function elsewhere(engine: Engine): Engine {
  return new Proxy(engine, {
    get: (target, name) => {
      if (name === "commit") return async (operations: readonly Operation[]) => target.commit(operations);
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}
