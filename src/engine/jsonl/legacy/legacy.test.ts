import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { tempFolder } from "../../../../test/support/temp-folder.ts";
import type { Entry } from "../../../message/types.ts";
import type { Conversation } from "../../../store/conversation.ts";
import { openStore, type StoreOptions } from "../../../store/open.ts";
import type { Store } from "../../../store/store.ts";

const FIXTURES = "test/fixtures/own/sessions";

/** A copy of the fixtures, as the folder of a store that was never opened. */
function legacyFolder(): string {
  const folder = join(tempFolder(), "sessions");
  cpSync(FIXTURES, folder, { recursive: true });
  return folder;
}

function open(folder: string, options: StoreOptions = {}): Promise<Store> {
  return openStore(`jsonl:${folder}`, { onProblem: () => {}, ...options });
}

async function chatOf(store: Store, key: string): Promise<Conversation> {
  const chat = await store.get(key);
  if (chat === undefined) throw new Error(`There is no ${key}`);
  return chat;
}

async function words(store: Store, key: string, branch?: string): Promise<unknown[]> {
  const query = branch === undefined ? {} : { branch };
  const { items } = await (await chatOf(store, key)).messages(query);
  return items.map(({ message }) => message?.content);
}

/** Everything that a store shows of its conversations. */
async function everything(store: Store): Promise<Record<string, unknown>> {
  const found: Record<string, unknown> = {};
  for (const info of (await store.list()).items) {
    const chat = (await store.get(info.id)) as Conversation;
    found[info.id] = {
      info,
      entries: (await chat.entries({ all: true })).items,
      branches: await chat.branches(),
    };
  }
  return found;
}

function keyFor(name: string): string {
  return name.replace(".jsonl", "").replace("_", ":");
}

function originals(folder: string): Record<string, string> {
  const names = readdirSync(FIXTURES, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.includes("."),
  );
  return Object.fromEntries(names.map((name) => [name, readFileSync(join(folder, name), "latin1")]));
}

describe("a folder of legacy transcripts", () => {
  it("is a store at once, and reading it changes no file", async () => {
    const folder = legacyFolder();
    const before = readdirSync(folder, { recursive: true }).sort();
    await using store = await open(folder, { readonly: true });
    const { items } = await store.list();
    expect(items.map(({ key, messageCount }) => [key, messageCount]).sort()).toEqual([
      ["cli:mixed", 5],
      ["discord:dm:42", 4],
      ["legacy:20250121193000001", 4],
      ["legacy:notes", 3],
      ["telegram:4711", 3],
      ["web:kitchen", 6],
      ["web:odd-tree", 5],
    ]);
    expect(readdirSync(folder, { recursive: true }).sort()).toEqual(before);
    expect(originals(folder)).toEqual(originals(FIXTURES));
  });

  it("has the same ids whenever and wherever it is read", async () => {
    await using store = await open(legacyFolder(), { readonly: true });
    const chat = await chatOf(store, "telegram:4711");
    expect(chat.id).toBe("ad8730ff-c0aa-8622-8a0c-805209460141");
    expect((await chat.info()).head).toBe("29073932e4777f465ff1c90201c2fe86");
  });

  it("returns texts, times and metadata unchanged", async () => {
    await using store = await open(legacyFolder(), { readonly: true });
    expect(await words(store, "telegram:4711")).toEqual([
      "Is the ferry running today?",
      "Yes, every two hours.",
      "Grüße an die Möwen \u2028 here",
    ]);
    const ferry = (await (await chatOf(store, "telegram:4711")).messages()).items;
    expect(ferry.map(({ at }) => at)).toEqual([
      "2025-03-02T08:00:00.000Z",
      "2025-03-02T08:00:04.250Z",
      "2025-03-02T08:15:00.000Z",
    ]);
    expect(ferry.map(({ parentId }) => parentId)).toEqual([null, ferry[0]?.id, ferry[1]?.id]);
    const [rust] = (await store.list()).items.filter(({ title }) => title === "Rust async discussion");
    expect(rust).toMatchObject({
      id: "a1b2c3d4-e5f6-4a7b-8c9d-0e1f2a3b4c5d",
      profileId: "7d1f0c9e-0000-4000-8000-000000000001",
      contextState: { strategy: "sandwich" },
      messageCount: 4,
      createdAt: "2025-01-21T19:30:00.000Z",
    });
    expect(await (await chatOf(store, "legacy:notes")).info()).toMatchObject({
      model: "small-1",
      createdAt: "2025-06-01T06:00:00.000Z",
      updatedAt: "2025-06-01T06:01:00.000Z",
    });
    expect(await (await chatOf(store, "discord:dm:42")).info()).toMatchObject({ title: "Tide tables" });
  });

  it("has tool calls and thinking as blocks, and unknown properties beside them", async () => {
    await using store = await open(legacyFolder(), { readonly: true });
    const { items } = await (await chatOf(store, "discord:dm:42")).messages();
    expect(items.map(({ message }) => message)).toMatchObject([
      {
        role: "user",
        content: [
          { type: "text", text: "When is high tide?" },
          { type: "image", source: { type: "url", url: "https://example.invalid/quay.png" } },
        ],
      },
      {
        role: "assistant",
        content: [{ type: "tool_use", id: "call_1", name: "tides", input: { harbour: "north" } }],
      },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "call_1", content: "04:12 and 16:40" }] },
      { role: "assistant", content: "At 04:12 and at 16:40." },
    ]);
    const rust = await chatOf(store, "a1b2c3d4-e5f6-4a7b-8c9d-0e1f2a3b4c5d");
    expect((await rust.messages()).items.map(({ message }) => message?.content)).toMatchObject([
      "What is Rust?",
      [{ type: "thinking", thinking: "Let me explain." }, { type: "text" }],
      [{ type: "tool_use", id: "c1" }],
      [{ type: "tool_result", tool_use_id: "c1" }],
    ]);
  });

  it("has the branches that the parents describe, with that of the last message checked out", async () => {
    await using store = await open(legacyFolder(), { readonly: true });
    const chat = await chatOf(store, "web:kitchen");
    const branches = await chat.branches();
    expect(branches.map(({ name, active, forkedFrom }) => [name, active, forkedFrom])).toEqual([
      ["main", true, null],
      ["branch-1", false, "msg-2"],
    ]);
    expect(await words(store, "web:kitchen")).toEqual([
      "A soup, please.",
      "Leek or lentil?",
      "Leek.",
      "Leek it is.",
    ]);
    expect(await words(store, "web:kitchen", "branch-1")).toEqual([
      "A soup, please.",
      "Leek or lentil?",
      "Lentil.",
      "Lentil it is.",
    ]);
    expect((await chat.messages()).items.map(({ id }) => id)).toEqual(["msg-1", "msg-2", "msg-3", "msg-6"]);
  });

  it("keeps lines that do not convert, and validate says where they are", async () => {
    const folder = legacyFolder();
    await using store = await open(folder, { readonly: true });
    expect(await words(store, "web:odd-tree")).toHaveLength(5);
    expect(await words(store, "cli:mixed")).toEqual(["three", "four"]);
    expect(await words(store, "cli:mixed", "main")).toEqual(["one", "two"]);
    const { items } = await (await chatOf(store, "cli:mixed")).entries({ all: true });
    expect(items.find(({ kind }) => kind === "custom")?.data).toMatchObject({ _type: "metadata" });
    const narrated = items.find(({ message }) => message?.content === "a role nobody knows")?.message;
    expect(narrated).toEqual({
      role: "user",
      content: "a role nobody knows",
      extra: { flat: { role: "narrator" } },
    });
    const four = items.find(({ message }) => message?.content === "four")?.message;
    expect(four).toMatchObject({ model: "small", extra: { flat: { mood: "fine" } } });
    const { findings } = await store.verify();
    const mixed = join(folder, "cli_mixed.jsonl");
    const tree = join(folder, "web_odd-tree.jsonl");
    expect(findings.map(({ code, source, line }) => [code, source, line])).toEqual(
      expect.arrayContaining([
        ["bad-line", mixed, 4],
        ["bad-line", mixed, 7],
        ["torn-tail", mixed, null],
        ["dangling-parent", tree, 3],
        ["cycle", tree, 4],
        ["duplicate-id", tree, 6],
      ]),
    );
    expect(findings).toHaveLength(6);
  });

  it("is migrated at the first write, conversation by conversation, and reads the same afterwards", async () => {
    const folder = legacyFolder();
    await using store = await open(folder);
    const before = await everything(store);
    for (const id of Object.keys(before)) {
      const chat = (await store.get(id)) as Conversation;
      const [entry] = (await chat.append({ role: "user", content: "and now?" })).entries;
      const { items } = await chat.messages({ last: 1 });
      expect(items).toEqual([entry]);
    }
    await store.close();
    await using again = await open(folder);
    const after = await everything(again);
    for (const [id, former] of Object.entries(before)) {
      const { entries } = former as { entries: unknown[] };
      const now = after[id] as { entries: unknown[] };
      expect(now.entries.slice(0, -1)).toEqual(entries);
    }
    const kept = readdirSync(join(folder, "legacy")).sort();
    expect(kept).toHaveLength(9);
    const former = originals(FIXTURES);
    for (const [name, text] of Object.entries(former)) {
      const found = kept.find((one) => one.endsWith(name.replace("/", ".")));
      expect(readFileSync(join(folder, "legacy", found as string), "latin1")).toBe(text);
    }
    expect(readdirSync(folder).filter((name) => name.endsWith(".jsonl") && !/^\d{17}\./.test(name))).toEqual(
      [],
    );
    // Unreadable lines are copied to the new log unchanged.
    const codes = (await again.verify()).findings.map(({ code }) => code);
    expect(codes).toEqual(["bad-line", "bad-line"]);
  });

  it("keeps its ids and its place in the list for another process", async () => {
    const folder = legacyFolder();
    await using first = await open(folder, { readonly: true });
    await using second = await open(folder, { readonly: true });
    expect(await everything(second)).toEqual(await everything(first));
    await using writer = await open(folder);
    await (await chatOf(writer, "telegram:4711")).update({ title: "Ferries" });
    expect(await (await chatOf(first, "telegram:4711")).info()).toMatchObject({
      title: "Ferries",
      messageCount: 3,
    });
    expect(await words(second, "telegram:4711")).toHaveLength(3);
  });

  it("shows messages that the legacy program adds", async () => {
    const folder = legacyFolder();
    await using store = await open(folder);
    const chat = await chatOf(store, "telegram:4711");
    const before = (await chat.messages()).items;
    const line = { role: "user", content: "added", timestamp: "2025-03-02T10:00:00Z" };
    appendFileSync(join(folder, "telegram_4711.jsonl"), `${JSON.stringify(line)}\n`);
    const after = (await chat.messages()).items;
    expect(after.slice(0, 3)).toEqual(before);
    expect(after[3]?.message?.content).toBe("added");
    // A file that is rewritten, as some programs do, is read again.
    const text = readFileSync(join(folder, "telegram_4711.jsonl"), "utf8");
    writeFileSync(join(folder, "telegram_4711.jsonl"), text.replace("added", "other"));
    expect((await chat.messages({ last: 1 })).items[0]?.message?.content).toBe("other");
  });

  it("reads the same however a file grew, and caches earlier reads", async () => {
    const folder = legacyFolder();
    for (const name of ["cli_mixed.jsonl", "web_kitchen.jsonl", "web_odd-tree.jsonl"]) {
      const whole = readFileSync(join(FIXTURES, name));
      const path = join(folder, name);
      const lengths = Array.from({ length: whole.length / 3 }, (_, n) => 90 + n * 3).filter(
        (n) => n < whole.length,
      );
      writeFileSync(path, whole.subarray(0, 90));
      await using grown = await open(folder, { readonly: true });
      const id = (await grown.list({ limit: 100 })).items.find(({ key }) => key === keyFor(name))
        ?.id as string;
      const entries = async (store: Store): Promise<Entry[]> =>
        (await ((await store.get(id)) as Conversation).entries({ all: true })).items;
      let known: Entry[] = [];
      for (const length of [...lengths, whole.length]) {
        appendFileSync(path, whole.subarray(statSync(path).size, length));
        const now = await entries(grown);
        expect(now.slice(0, known.length)).toEqual(known);
        known = now;
      }
      await using fresh = await open(folder, { readonly: true });
      expect(await entries(fresh)).toEqual(known);
      expect(known.length).toBeGreaterThan(4);
    }
  });

  it("is moved to the trash, restored, redacted and purged like any other", async () => {
    const folder = legacyFolder();
    await using store = await open(folder);
    const { id } = await store.delete("telegram:4711");
    expect((await store.list({ trash: true })).items).toMatchObject([{ id, messageCount: 3 }]);
    await store.restore(id);
    const [first] = (await (await chatOf(store, "telegram:4711")).messages()).items;
    const { copies } = await (await chatOf(store, "telegram:4711")).redact(first?.id as string);
    expect(copies).toEqual([expect.stringMatching(/legacy\/\d{17}\.telegram_4711\.jsonl$/)]);
    await store.purge(id, { force: true });
    expect(readdirSync(join(folder, "legacy"))).toEqual([]);
    await store.purge("discord:dm:42", { force: true });
    expect(
      readdirSync(folder, { recursive: true }).filter((name) => String(name).includes("discord")),
    ).toEqual([]);
  });

  it("can be backed up without being migrated", async () => {
    const folder = legacyFolder();
    await using store = await open(folder, { readonly: true });
    await store.backup(`${folder}-copy`);
    await using copy = await open(`${folder}-copy`, { readonly: true });
    expect(Object.keys(await everything(copy)).sort()).toEqual(Object.keys(await everything(store)).sort());
    expect(await words(copy, "web:kitchen")).toEqual(await words(store, "web:kitchen"));
  });

  it("is completed by the next opener if the migration stopped before the legacy file was moved", async () => {
    const folder = legacyFolder();
    const original = readFileSync(join(folder, "telegram_4711.jsonl"));
    {
      await using store = await open(folder);
      await (await chatOf(store, "telegram:4711")).update({ title: "t" });
    }
    // As if the process had been killed just before.
    const [kept] = readdirSync(join(folder, "legacy"));
    writeFileSync(join(folder, "telegram_4711.jsonl"), original);
    writeFileSync(join(folder, "legacy", kept as string), "");
    {
      await using reader = await open(folder, { readonly: true });
      expect((await reader.list()).items.filter(({ key }) => key === "telegram:4711")).toHaveLength(1);
    }
    await using store = await open(folder);
    expect(existsSync(join(folder, "telegram_4711.jsonl"))).toBe(false);
    expect((await store.list()).items.filter(({ key }) => key === "telegram:4711")).toHaveLength(1);
    const names = readdirSync(join(folder, "legacy")).filter((name) => name.includes("telegram"));
    expect(names.map((name) => readFileSync(join(folder, "legacy", name)))).toContainEqual(original);
  });
});

describe("the session key of a legacy transcript", () => {
  it.each([
    ["CLI_Default.jsonl", {}, "cli:default"],
    ["Discord_DM_42.jsonl", {}, "discord:dm:42"],
    ["a.jsonl", { key: "Telegram:+1 (234) 567-8900" }, "telegram:+12345678900"],
    ["b.jsonl", { session_key: "cli:local" }, "cli:default"],
    ["c.jsonl", { key: "no channel" }, "legacy:c"],
  ])("is in its current form: %s %o", async (name, header, key) => {
    const folder = join(tempFolder(), "sessions");
    mkdirSync(folder);
    const lines = [
      { _type: "metadata", ...header },
      { role: "user", content: "x", timestamp: "2025-03-02T08:00:00Z" },
    ];
    writeFileSync(join(folder, name), lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
    await using store = await open(folder, { readonly: true });
    expect((await store.list()).items.map((info) => info.key)).toEqual([key]);
    expect(await words(store, key)).toEqual(["x"]);
  });
});

describe("a legacy transcript whose session key is in use", () => {
  it("is marked with its id, and does not take the key", async () => {
    const folder = legacyFolder();
    const other = readFileSync(join(folder, "telegram_4711.jsonl"), "utf8");
    rmSync(join(folder, "telegram_4711.jsonl"));
    {
      await using store = await open(folder);
      await (await store.open("telegram:4711")).append({ role: "user", content: "first here" });
    }
    writeFileSync(join(folder, "telegram_4711.jsonl"), other);
    for (const round of [1, 2]) {
      await using store = await open(folder);
      expect(await words(store, "telegram:4711")).toEqual(["first here"]);
      const found = (await store.list()).items.filter(({ channel }) => channel === "telegram");
      expect(found.map(({ key, messageCount }) => [key, messageCount])).toEqual([
        ["telegram:4711", 1],
        [`telegram:4711~${found[1]?.id}`, 3],
      ]);
      const id = found[1]?.id as string;
      if (round === 1) await ((await store.get(id)) as Conversation).update({ title: "t" });
      else
        expect((await store.verify()).findings.filter(({ conversation }) => conversation === id)).toEqual([]);
    }
  });
});

describe("a legacy program that continues after the migration", () => {
  it("creates a separate conversation, and nothing of either is lost", async () => {
    const folder = legacyFolder();
    const path = join(folder, "telegram_4711.jsonl");
    const original = readFileSync(path, "utf8");
    {
      await using store = await open(folder);
      await (await chatOf(store, "telegram:4711")).append({ role: "user", content: "ours" });
    }
    writeFileSync(path, `${original}${JSON.stringify({ role: "user", content: "theirs" })}\n`);
    for (const round of [1, 2]) {
      await using store = await open(folder);
      const ends: Record<string, unknown> = {};
      for (const { id, key } of (await store.list()).items) {
        const said = await words(store, id);
        if (said[0] === "Is the ferry running today?") ends[String(said.at(-1))] = key?.replace(id, "ID");
        // In the second round both are migrated.
        if (round === 1) await ((await store.get(id)) as Conversation).update({ title: "t" });
      }
      expect(ends).toEqual({ ours: "telegram:4711", theirs: "telegram:4711~ID" });
      expect((await words(store, "telegram:4711")).at(-1)).toBe("ours");
    }
    expect(readdirSync(join(folder, "legacy")).filter((name) => name.includes("telegram"))).toHaveLength(2);
  });
});

describe("legacy transcripts that are not to be migrated", () => {
  it("refuse writes, with advice, if autoMigrate is off", async () => {
    const folder = legacyFolder();
    await using store = await open(folder, { sessions: { autoMigrate: false } });
    const chat = await chatOf(store, "telegram:4711");
    const refusal = { code: "NOT_SUPPORTED", message: /colloquy sessions migrate --to v2/ };
    await expect(chat.append({ role: "user", content: "x" })).rejects.toMatchObject(refusal);
    await expect(chat.update({ title: "x" })).rejects.toMatchObject(refusal);
    await expect(store.delete(chat.id)).rejects.toMatchObject(refusal);
    expect(originals(folder)).toEqual(originals(FIXTURES));
    // Others are not concerned.
    await (await store.open("web:new")).append({ role: "user", content: "fine" });
  });

  it("stay in their format with format legacy, and the legacy program can read them", async () => {
    const folder = legacyFolder();
    const path = join(folder, "telegram_4711.jsonl");
    const before = readFileSync(path, "utf8");
    await using store = await open(folder, { sessions: { format: "legacy" } });
    const chat = await chatOf(store, "telegram:4711");
    const words = [1, 2].map((n) => ({ role: "user" as const, content: `new ${n}` }));
    const first = (await chat.append(words, { operationId: "op", expectedHead: (await chat.info()).head }))
      .entries;
    expect((await chat.append(words, { operationId: "op" })).entries).toEqual(first);
    expect((await chat.messages({ last: 2 })).items).toEqual(first);
    const added = readFileSync(path, "utf8").slice(before.length).trimEnd().split("\n");
    expect(added.map((line) => JSON.parse(line))).toMatchObject([
      { role: "user", content: "new 1", timestamp: first[0]?.at, id: first[0]?.id },
      { role: "user", content: "new 2" },
    ]);
    expect(readFileSync(path, "utf8").startsWith(before)).toBe(true);
    expect((await chat.info()).messageCount).toBe(5);
    await chat.update({ title: "Ferries" });
    expect((await chat.info()).title).toBe("Ferries");
    const refusal = { code: "NOT_SUPPORTED", message: /legacy format/ };
    await expect(chat.branch(first[0]?.id as string)).rejects.toMatchObject(refusal);
    await expect(chat.redact(first[0]?.id as string)).rejects.toMatchObject(refusal);
    await store.close();
    await using again = await open(folder);
    const now = await chatOf(again, "telegram:4711");
    expect((await now.messages({ last: 2 })).items).toEqual(first);
    expect((await now.info()).title).toBe("Ferries");
    await now.append({ role: "user", content: "migrated" });
    const said = (await now.messages({ last: 3 })).items.map(({ message }) => message?.content);
    expect(said).toEqual(["new 1", "new 2", "migrated"]);
  });

  it("are created in it too, under the name of their key, with format legacy", async () => {
    const folder = join(tempFolder(), "sessions");
    const sessions = { format: "legacy" } as const;
    const ids: Record<string, string> = {};
    {
      await using store = await open(folder, { sessions, clock: () => Date.UTC(2025, 2, 2) });
      const b = await store.open("web:b");
      await b.append({ role: "user", content: "of b" });
      const a = await store.create({ key: "web:a", title: "A", model: "small" });
      await a.append([
        { role: "user", content: "of a" },
        { role: "assistant", content: [{ type: "tool_use", id: "c1", name: "look", input: { at: 1 } }] },
      ]);
      // Its metadata file belongs to a stem, which the next process must find again.
      await b.update({ title: "B" });
      // Both keys have the same name.
      await (await store.open("web:x:y")).append({ role: "user", content: "first" });
      await (await store.open("web:x_y")).append({ role: "user", content: "second" });
      await (await store.create({ title: "no key" })).append({ role: "user", content: "none" });
      await store.create({ key: "web:empty" });
      for (const { id, title, key } of (await store.list()).items) ids[key ?? title ?? ""] = id;
      await expect(a.branch("nowhere")).rejects.toMatchObject({ code: expect.any(String) });
      expect((await store.verify()).findings).toEqual([]);
    }
    const named = readdirSync(folder).filter((name) => name.endsWith(".jsonl") && !/^\d/.test(name));
    expect(named.sort()).toEqual(["web_a.jsonl", "web_b.jsonl", "web_empty.jsonl", "web_x_y.jsonl"]);
    const lines = readFileSync(join(folder, "web_a.jsonl"), "utf8").trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { _type: "metadata", id: ids["web:a"], key: "web:a", title: "A" },
      { role: "user", content: "of a", timestamp: expect.any(String) },
      { role: "assistant" },
    ]);
    for (const options of [{ sessions }, { readonly: true }, {}]) {
      await using store = await open(folder, options);
      const found = (await store.list()).items.map(({ id, key, title }) => [key ?? title ?? "", id]);
      expect(Object.fromEntries(found)).toEqual(ids);
      expect(await words(store, "web:b")).toEqual(["of b"]);
      expect((await (await chatOf(store, "web:b")).info()).title).toBe("B");
      expect(await words(store, "web:x:y")).toEqual(["first"]);
      expect(await words(store, "web:x_y")).toEqual(["second"]);
      expect(await words(store, ids["no key"] as string)).toEqual(["none"]);
      expect((await (await chatOf(store, "web:a")).info()).model).toBe("small");
    }
    await using store = await open(folder);
    const { items, skipped } = await store.migrateLegacy();
    expect([items.length, items.every(({ verified }) => verified), skipped]).toEqual([6, true, []]);
    expect(await words(store, "web:b")).toEqual(["of b"]);
  });

  it("begin a new line after a torn one", async () => {
    const folder = legacyFolder();
    await using store = await open(folder, { sessions: { format: "legacy" } });
    await (await chatOf(store, "cli:mixed")).append({ role: "user", content: "five" });
    expect(await words(store, "cli:mixed")).toEqual(["three", "four", "five"]);
    expect(readFileSync(join(folder, "cli_mixed.jsonl"), "utf8")).toContain(
      '"content":"torn\n{"role":"user"',
    );
  });

  it("record appends in the feed", async () => {
    const folder = legacyFolder();
    await using store = await open(folder, { sessions: { format: "legacy" } });
    const feed = store.changes({ signal: AbortSignal.timeout(120_000) });
    await (await chatOf(store, "telegram:4711")).append({ role: "user", content: "told" });
    for await (const { type, entry } of feed) {
      expect([type, entry?.message?.content]).toEqual(["entry", "told"]);
      break;
    }
  });
});

describe("a folder with other files", () => {
  it("is still refused when none of them is a transcript", async () => {
    const folder = join(tempFolder(), "data");
    mkdirSync(folder);
    writeFileSync(join(folder, "rows.jsonl"), '{"a":1}\n{"a":2}\n');
    await expect(open(folder)).rejects.toMatchObject({ code: "VALIDATION_ERROR" });
    expect(readdirSync(folder)).toEqual(["rows.jsonl"]);
  });

  it("reports a file beside the transcripts that is not one", async () => {
    const folder = legacyFolder();
    writeFileSync(join(folder, "rows.jsonl"), '{"a":1}\n{"a":2}\n');
    const problems: string[] = [];
    await using store = await open(folder, { onProblem: ({ message }) => problems.push(message) });
    expect(problems).toEqual([
      `${join(folder, "cli_mixed.jsonl")}: bytes 155 to 188: not JSON`,
      expect.stringMatching(/rows\.jsonl was ignored/),
    ]);
    expect((await store.verify()).findings).toContainEqual(
      expect.objectContaining({ code: "foreign-file", source: join(folder, "rows.jsonl") }),
    );
  });

  it("has no legacy conversations if it is a v2 store", async () => {
    const folder = join(tempFolder(), "store");
    await using store = await open(folder);
    await (await store.open("web:a")).append({ role: "user", content: "x" });
    expect((await store.migrateLegacy({ dryRun: true })).items).toEqual([]);
  });
});
