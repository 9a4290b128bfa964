import { setImmediate } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { ColloquyError } from "../../../errors.ts";
import { openStore } from "../../../store/open.ts";
import type { Store } from "../../../store/store.ts";
import type { Ingest, ReadyEntry } from "../../../store/write/ingest.ts";
import { BatchWriter, type Outgoing } from "./batch-writer.ts";
import type { BranchRef } from "./placement.ts";

const ID = "01980000-0000-7000-8000-000000000001";
const MAIN: BranchRef = { id: 0, name: "main" };

/** A writer of a conversation that the store does not have. */
function writerOf(ingest: Ingest, mayWrite: Promise<void> = Promise.resolve()): BatchWriter {
  let creating: Promise<void> | undefined;
  const init = { id: ID, key: null, title: null, channel: null, model: null, atMs: 0 };
  const create = (): Promise<void> | undefined => {
    if (creating !== undefined) return undefined;
    creating = ingest.create(init).then(() => {});
    return creating;
  };
  const writer = new BatchWriter(
    { ingest, id: ID, mayWrite },
    create,
    () => true,
    async () => undefined,
  );
  writer.startsEmpty();
  return writer;
}

function message(ingest: Ingest, id: string): Outgoing {
  return outgoing(ingest.message(id, 0, { role: "user", content: id }, true));
}

function branch(ingest: Ingest, name: string, from: string, seq: number): Outgoing {
  return outgoing(
    ingest.other("info", `make-${name}`, 0, { type: "branch", name, from, from_seq: seq, checkout: false }),
  );
}

function outgoing(ready: ReadyEntry): Outgoing {
  return { ready, bytes: 1, written: () => {} };
}

async function idsIn(store: Store): Promise<string[]> {
  return Array.fromAsync(store.ingest().log(ID, 0), ({ id }) => id);
}

describe("batches of a new conversation", () => {
  it("know the places of their entries before they are written", async () => {
    await using store = await openStore("ephemeral:");
    const ingest = store.ingest();
    const writer = writerOf(ingest);
    expect(writer.append(MAIN, message(ingest, "a"))).toBe(1);
    await writer.settle();
    const other: BranchRef = { id: undefined, name: "other" };
    expect(writer.append(MAIN, message(ingest, "b"))).toBe(2);
    writer.begin(other, branch(ingest, "other", "a", 1));
    expect(other.id).toBe(3);
    expect(writer.append(other, message(ingest, "c"))).toBe(4);
    expect(writer.append(MAIN, message(ingest, "d"))).toBe(5);
    await writer.settle();
    expect(await idsIn(store)).toEqual(["a", "b", "make-other", "c", "d"]);
    const chat = await store.get(ID);
    const branches = (await chat?.branches())?.map(({ name, head }) => [name, head]);
    expect(branches).toEqual([
      ["main", "d"],
      ["other", "c"],
    ]);
  });

  it("are written in order, and whole, when one of them has to be repeated", async () => {
    await using store = await openStore("ephemeral:");
    const ingest = failingOnce(store.ingest(), "b");
    const writer = writerOf(ingest);
    for (const id of ["a", "b", "c", "d"]) {
      writer.append(MAIN, message(ingest, id));
      if (id === "a") await writer.settle();
      else writer.flush();
    }
    await writer.settle();
    expect(await idsIn(store)).toEqual(["a", "b", "c", "d"]);
  });

  it("wait until they may be sent", async () => {
    await using store = await openStore("ephemeral:");
    const ingest = store.ingest();
    const { promise: mayWrite, resolve: letWrite } = Promise.withResolvers<void>();
    const writer = writerOf(ingest, mayWrite);
    for (const id of ["a", "b"]) {
      writer.append(MAIN, message(ingest, id));
      writer.flush();
    }
    await setImmediate();
    expect(await store.get(ID)).toBeUndefined();
    letWrite();
    await writer.settle();
    expect(await idsIn(store)).toEqual(["a", "b"]);
  });

  it("are never sent once they are abandoned", async () => {
    await using store = await openStore("ephemeral:");
    const ingest = store.ingest();
    const { promise: mayWrite, resolve: letWrite } = Promise.withResolvers<void>();
    const writer = writerOf(ingest, mayWrite);
    writer.append(MAIN, message(ingest, "a"));
    writer.flush();
    const abandoned = writer.abandon();
    letWrite();
    await abandoned;
    expect(await store.get(ID)).toBeUndefined();
  });

  it("stop when somebody else writes to the conversation, and leave no gap", async () => {
    await using store = await openStore("ephemeral:");
    const ingest = store.ingest();
    const writer = writerOf(ingest);
    writer.append(MAIN, message(ingest, "a"));
    await writer.settle();
    const chat = await store.get(ID);
    await chat?.append({ id: "mine", role: "user", content: "mine" });
    for (const id of ["b", "c"]) {
      writer.append(MAIN, message(ingest, id));
      writer.flush();
    }
    await expect(writer.settle()).rejects.toMatchObject({ code: "CONFLICT", field: "seq" });
    expect(await idsIn(store)).toEqual(["a", "mine"]);
  });
});

/** The first append of this entry fails as it does when another operation breaks its transaction. */
function failingOnce(ingest: Ingest, id: string): Ingest {
  const append = ingest.append.bind(ingest);
  let isDone = false;
  ingest.append = (conversation, onto, entries, fresh, after) => {
    if (isDone || entries[0]?.entry.id !== id) return append(conversation, onto, entries, fresh, after);
    isDone = true;
    return Promise.reject(new ColloquyError("INTERNAL_ERROR", "another operation failed"));
  };
  return ingest;
}
