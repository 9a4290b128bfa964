/**
 * The tests that the conversation service's requirements name, CS-T1 to CS-NT4,
 * on plain files through the front. They are here and not beside the engine,
 * because an engine does not import the store.
 */
import { describe, expect, it } from "vitest";
import { JsonlEngine } from "../../src/engine/jsonl/jsonl-engine.ts";
import type { ColloquyError } from "../../src/errors.ts";
import type { Conversation } from "../../src/store/conversation.ts";
import { openStore } from "../../src/store/open.ts";
import type { Store } from "../../src/store/store.ts";
import { until } from "../support/until.ts";
import { Dice } from "./dice.ts";
import { SimulatedDisk } from "./simulated-disk.ts";

const FOLDER = "/store";
const STEM = "20250121193000001";
const START_MS = Date.UTC(2025, 0, 21, 19, 30, 0, 1);
const MISSING = "0194a0b1-0000-7000-8000-000000000000";

interface Service {
  readonly disk: SimulatedDisk;
  readonly store: Store;
  readonly problems: ColloquyError[];
}

async function service(disk: SimulatedDisk = new SimulatedDisk(new Dice(1))): Promise<Service> {
  const problems: ColloquyError[] = [];
  const options = { readonly: false, durability: "full", lockWaitMs: 1000 } as const;
  const engine = await JsonlEngine.open(
    FOLDER,
    { ...options, onProblem: (problem) => problems.push(problem) },
    { io: disk, clock: () => START_MS, random: new Dice(2).fill },
  );
  return { disk, problems, store: await openStore(engine, { clock: () => START_MS }) };
}

const user = (content: string): { role: "user"; content: string } => ({ role: "user", content });

/** File names of conversations, without those of the store itself. */
function files(disk: SimulatedDisk): string[] {
  const names = disk.paths().map((path) => path.slice(FOLDER.length + 1));
  return names.filter((name) => !name.startsWith("store."));
}

function lines(disk: SimulatedDisk): Record<string, unknown>[] {
  const text = disk.content(`${FOLDER}/${STEM}.jsonl`).toString();
  return text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
}

async function texts(conversation: Conversation | undefined): Promise<unknown[]> {
  const { items } = (await conversation?.messages({ limit: 10_000 })) ?? { items: [] };
  return items.map(({ message }) => message?.content);
}

describe("the conversation service", () => {
  it("CS-T1: creating a conversation creates both files", async () => {
    const { disk, store } = await service();
    const { id } = await store.create({ title: "Rust" });
    expect(files(disk)).toEqual([`${STEM}.jsonl`, `${STEM}.meta.json`]);
    const metadata = JSON.parse(disk.content(`${FOLDER}/${STEM}.meta.json`).toString());
    expect(metadata).toMatchObject({
      id,
      title: "Rust",
      message_count: 0,
      created_at: "2025-01-21T19:30:00.001Z",
    });
  });

  it("CS-T2: appending a message adds a line to the .jsonl and changes nothing before it", async () => {
    const { disk, store } = await service();
    const chat = await store.create();
    await chat.append(user("What is Rust?"));
    const before = disk.content(`${FOLDER}/${STEM}.jsonl`);
    await chat.append({ role: "assistant", content: "A language" });
    const after = disk.content(`${FOLDER}/${STEM}.jsonl`);
    expect(after.subarray(0, before.length)).toEqual(before);
    expect(lines(disk).slice(1)).toMatchObject([
      { role: "user", content: "What is Rust?", seq: 1 },
      { role: "assistant", content: "A language", seq: 2 },
    ]);
  });

  it("CS-T3: loading returns the correct message count, before and after the metadata was refreshed", async () => {
    const { disk, store } = await service();
    const chat = await store.create();
    for (let number = 0; number < 47; number++) await chat.append(user(`${number}`));
    expect((await chat.info()).messageCount).toBe(47);
    const crashed = await service(disk.crash());
    expect((await (await crashed.store.get(chat.id))?.info())?.messageCount).toBe(47);
    await crashed.store.close();
    const again = await service(crashed.disk);
    const { items } = await again.store.list();
    expect(items).toMatchObject([{ id: chat.id, messageCount: 47 }]);
  });

  it("CS-T4: updating the title only rewrites the .meta.json", async () => {
    const { disk, store } = await service();
    const chat = await store.create();
    await chat.append(user("hello"));
    const log = disk.content(`${FOLDER}/${STEM}.jsonl`);
    await chat.update({ title: "Async" });
    expect(disk.content(`${FOLDER}/${STEM}.jsonl`)).toBe(log);
    expect(JSON.parse(disk.content(`${FOLDER}/${STEM}.meta.json`).toString()).title).toBe("Async");
    expect((await chat.info()).title).toBe("Async");
  });

  it("CS-T5: deleting moves both files from the folder to the trash", async () => {
    const { disk, store } = await service();
    const chat = await store.create({ title: "Gone" });
    await chat.append(user("hello"));
    await store.delete(chat.id);
    expect(files(disk)).toEqual([`trash/${STEM}.jsonl`, `trash/${STEM}.meta.json`]);
    expect(await store.get(chat.id)).toBeUndefined();
    await store.restore(chat.id);
    expect(await texts(await store.get(chat.id))).toEqual(["hello"]);
  });

  it("CS-T6: loading handles missing files gracefully", async () => {
    const { disk, store } = await service();
    expect(await store.get(MISSING)).toBeUndefined();
    const chat = await store.create({ title: "Kept in part" });
    await chat.append(user("hello"));
    await store.close();
    disk.remove(`${FOLDER}/${STEM}.meta.json`);
    const withoutMetadata = await service(disk);
    expect(await texts(await withoutMetadata.store.get(chat.id))).toEqual(["hello"]);
    await withoutMetadata.store.close();
    disk.remove(`${FOLDER}/${STEM}.jsonl`);
    expect(await (await service(disk)).store.get(chat.id)).toBeUndefined();
  });

  it("CS-T7: a malformed line is skipped, reported once with its place, and found by verify", async () => {
    const { disk, store } = await service();
    const chat = await store.create();
    for (const text of ["one", "two", "three"]) await chat.append(user(text));
    await store.close();
    const path = `${FOLDER}/${STEM}.jsonl`;
    const damaged = Buffer.from(disk.content(path).toString().replace("two", "tw}"));
    disk.remove(path);
    disk.place(path, damaged);
    const { store: reopened, problems } = await service(disk);
    const again = await reopened.get(chat.id);
    expect(await texts(again)).toEqual(["one", "three"]);
    expect(await texts(again)).toEqual(["one", "three"]);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatchObject({
      code: "SERVICE_UNAVAILABLE",
      message: expect.stringContaining(path),
    });
    const { findings } = await reopened.verify();
    expect(findings[0]).toMatchObject({ code: "bad-line", source: path, line: 3, conversation: chat.id });
    await again?.append(user("four"));
    expect(await texts(again)).toEqual(["one", "three", "four"]);
    expect(disk.content(path).subarray(0, damaged.length)).toEqual(damaged);
  });

  it("CS-NT1: loading with an invalid UUID is a VALIDATION_ERROR, and no I/O is performed", async () => {
    const { disk, store } = await service();
    await store.create();
    const { calls } = disk;
    for (const id of ["not-a-uuid", "../../etc/passwd", "", `${MISSING}0`, 7 as unknown as string]) {
      const refused = { code: "VALIDATION_ERROR", message: "Invalid conversation id" };
      await expect(store.get(id)).rejects.toMatchObject(refused);
      await expect(store.delete(id)).rejects.toMatchObject(refused);
      await expect(store.restore(id)).rejects.toMatchObject(refused);
    }
    expect(disk.calls).toBe(calls);
  });

  it("CS-NT2: appending empty content is a VALIDATION_ERROR, and nothing is persisted", async () => {
    const { disk, store } = await service();
    const chat = await store.create();
    const { calls } = disk;
    for (const content of ["", " \n\t ", [], undefined]) {
      const message = { role: "user", content } as Parameters<Conversation["append"]>[0];
      const refused = { code: "VALIDATION_ERROR", message: "Message content required", field: "content" };
      await expect(chat.append(message)).rejects.toMatchObject(refused);
      await expect(chat.append([user("fine"), message as never])).rejects.toMatchObject(refused);
    }
    expect(disk.calls).toBe(calls);
    expect(lines(disk)).toHaveLength(1);
  });

  it("CS-NT3: deleting a missing id is NOT_FOUND, and no files are removed", async () => {
    const { disk, store } = await service();
    await store.create();
    const before = disk.paths();
    const { changes } = disk;
    await expect(store.delete(MISSING)).rejects.toMatchObject({ code: "NOT_FOUND" });
    expect(disk.paths()).toEqual(before);
    expect(disk.changes).toBe(changes);
  });

  it.each([0, 1, 100])(
    "CS-NT4: appending when %i bytes are left is SERVICE_UNAVAILABLE, without a partial write",
    async (bytesLeft) => {
      const { disk, store } = await service();
      const chat = await store.create();
      await chat.append(user("before"));
      const log = disk.content(`${FOLDER}/${STEM}.jsonl`);
      disk.faults.bytesLeft = bytesLeft;
      await expect(chat.append(user("x".repeat(300)))).rejects.toMatchObject({ code: "SERVICE_UNAVAILABLE" });
      await expect(chat.append([user("a"), user("b")])).rejects.toMatchObject({
        code: "SERVICE_UNAVAILABLE",
      });
      expect(disk.content(`${FOLDER}/${STEM}.jsonl`)).toEqual(log);
      expect(await texts(chat)).toEqual(["before"]);
      disk.faults.bytesLeft = undefined;
      await chat.append(user("there is room again"));
      expect(await texts(chat)).toEqual(["before", "there is room again"]);
      const { store: after } = await service(disk.crash());
      expect(await texts(await after.get(chat.id))).toEqual(["before", "there is room again"]);
    },
  );
});

describe("changes that share one transaction survive a power cut", () => {
  it("when an append is followed by a refused one", async () => {
    for (let seed = 0; seed < 20; seed++) {
      const { disk, store } = await service(new SimulatedDisk(new Dice(seed)));
      const chat = await store.create();
      const [first, second] = await Promise.allSettled([
        chat.append(user("acknowledged")),
        chat.append(user("refused"), { expectedHead: "stale" }),
      ]);
      expect([first?.status, second?.status]).toEqual(["fulfilled", "rejected"]);
      const { store: after } = await service(disk.crash());
      expect(await texts(await after.get(chat.id))).toEqual(["acknowledged"]);
    }
  });

  it("when an append is followed by a deletion", async () => {
    for (let seed = 0; seed < 20; seed++) {
      const { disk, store } = await service(new SimulatedDisk(new Dice(seed)));
      const chat = await store.create();
      const appending = Promise.resolve().then(() => chat.append(user("acknowledged")));
      await Promise.all([appending, store.delete(chat.id)]);
      const { store: after } = await service(disk.crash());
      await after.restore(chat.id);
      expect(await texts(await after.get(chat.id))).toEqual(["acknowledged"]);
    }
  });

  it("when an append is followed by a title, and the counts agree", async () => {
    for (let seed = 0; seed < 20; seed++) {
      const { disk, store } = await service(new SimulatedDisk(new Dice(seed)));
      const chat = await store.create();
      disk.faults.crashAt = disk.changes + 5 + (seed % 10);
      await Promise.allSettled([chat.append(user("x")), chat.update({ title: "T" })]);
      const { store: after } = await service(disk.crash());
      expect((await after.verify()).findings.filter(({ code }) => code !== "torn-tail")).toEqual([]);
    }
  });

  it("when there are more conversations in it than files may be open", async () => {
    const { disk, store } = await service();
    const chats = await Promise.all(Array.from({ length: 300 }, () => store.create()));
    await Promise.all(chats.map((chat, index) => chat.append(user(`message ${index}`))));
    const { store: after } = await service(disk.crash());
    for (const [index, { id }] of chats.entries()) {
      expect(await texts(await after.get(id))).toEqual([`message ${index}`]);
    }
  });

  it("and a sync that fails acknowledges none of the appends that waited for it", async () => {
    const { disk, store } = await service();
    const [one, two] = [await store.create(), await store.create()];
    disk.faults.failingSyncs = 1;
    const outcomes = await Promise.allSettled([
      one.append(user("a")),
      one.append(user("b")),
      one.update({ title: "T" }),
      two.append(user("c")),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected", "fulfilled"]);
    expect(await texts(one)).toEqual([]);
    await expect(one.append(user("d"))).rejects.toMatchObject({ code: "SERVICE_UNAVAILABLE" });
    const { store: after } = await service(disk);
    const again = await after.get(one.id);
    await again?.append(user("e"));
    expect(await texts(again)).toEqual(["e"]);
    expect((await after.verify()).findings).toEqual([]);
  });
});

describe("a refresh of the metadata that fails after a message", () => {
  it("is reported by the next write to the conversation, which does nothing; the message stays", async () => {
    const { disk, store } = await service();
    const chat = await store.create();
    await chat.append(user("kept"));
    disk.faults.failingRenames = 1;
    await until(() => disk.faults.failingRenames === 0);
    await expect(chat.append(user("second"))).rejects.toThrow(/The message is stored. This call did nothing/);
    await chat.append(user("second"));
    expect(await texts(chat)).toEqual(["kept", "second"]);
    await store.close();
    expect(JSON.parse(disk.content(`${FOLDER}/${STEM}.meta.json`).toString()).message_count).toBe(2);
    expect(files(disk).filter((name) => name.endsWith(".tmp"))).toEqual([]);
  });
});
