/** An import that was killed after the last entry of a file has still work to do, which the next import does. */
import { appendFileSync, cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { Ledger } from "../../src/formats/import/ledger/ledger.ts";
import { importConversations } from "../../src/formats/import/run.ts";
import { openStore } from "../../src/store/open.ts";
import { tempFolder } from "../support/temp-folder.ts";

const SESSION = "5e551000-0000-4000-8000-000000000001";
/** A session that another one of the fixture continues with a copy of its messages. */
const FIRST = "adcab481-14af-4293-8e92-645f861e1135";
const KEY = `claude-code:${SESSION}`;

const record = (value: object): string =>
  `${JSON.stringify({ sessionId: SESSION, cwd: "/w", version: "2.1.0", ...value })}\n`;

function says(number: number, parent: number | null, text: string): string {
  const uuid = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`;
  const timestamp = new Date(1_600_000_000_000 + number * 1000).toISOString();
  const parentUuid = parent === null ? null : uuid(parent);
  return record({
    type: "user",
    uuid: uuid(number),
    parentUuid,
    timestamp,
    message: { role: "user", content: text },
  });
}

describe("a file that is larger than an import holds", () => {
  it("gives its conversation the last of its titles", async () => {
    const folder = tempFolder();
    mkdirSync(join(folder, "s"));
    const file = join(folder, "s", `${SESSION}.jsonl`);
    writeFileSync(file, says(0, null, "First") + record({ type: "custom-title", customTitle: "One" }));
    for (let n = 1; n < 60; n++) appendFileSync(file, says(n, n - 1, `${n} ${"x".repeat(100_000)}`));
    appendFileSync(file, record({ type: "custom-title", customTitle: "Two" }));
    await using store = await openStore("ephemeral:");
    await importConversations(store, [join(folder, "s")]);
    expect((await store.open(KEY).then((chat) => chat.info())).title).toBe("Two");
  });
});

describe("a conversation whose import was killed before its metadata was written", () => {
  it("gets the channel and the profile of its source with the next import", async () => {
    const folder = tempFolder();
    cpSync("test/fixtures/personal-agent", join(folder, "s"), { recursive: true });
    await using store = await openStore(`sqlite:${join(folder, "store.db")}`);
    await importConversations(store, [join(folder, "s")]);
    const { items } = await store.list();
    const whole = items.find(({ profileId }) => profileId !== null);
    expect(whole?.channel).not.toBeNull();
    await store.ingest().update(whole?.id ?? "", { channel: null, profileId: null });
    const ledger = new DatabaseSync(join(folder, "store.db-imports"));
    ledger.exec("INSERT OR IGNORE INTO begun SELECT path FROM files; DELETE FROM files");
    ledger.close();
    await importConversations(store, [join(folder, "s")]);
    const { channel, profileId } = whole ?? {};
    expect(await store.ingest().find(whole?.id ?? "")).toMatchObject({ channel, profileId });
  });
});

describe("a session whose copy was read first, and whose import was killed when it had taken its key", () => {
  it("names the conversation with the next import", async () => {
    const folder = tempFolder();
    cpSync("test/fixtures/claude-code/1.0.100-resume", join(folder, "s"), { recursive: true });
    await using store = await openStore(`sqlite:${join(folder, "store.db")}`);
    await importConversations(store, [join(folder, "s")]);
    const [whole] = (await store.list()).items;
    expect(whole).toMatchObject({ key: `claude-code:${FIRST}`, title: "Hello there @say Hello." });
    await store.ingest().update(whole?.id ?? "", { title: "Invalid API key · Please run /login" });
    const ledger = new DatabaseSync(join(folder, "store.db-imports"));
    const of = `WHERE path LIKE '%${FIRST}.jsonl'`;
    ledger.exec(`INSERT INTO begun SELECT path FROM files ${of}; DELETE FROM files ${of}`);
    ledger.close();
    await importConversations(store, [join(folder, "s")]);
    expect(await store.ingest().find(whole?.id ?? "")).toMatchObject({ title: whole?.title });
  });
});

describe("the ledger", () => {
  it("says that a file was begun and not finished, until it is", () => {
    const path = join(tempFolder(), "ledger");
    const first = Ledger.open(path, "store");
    expect(first.begin("/a")).toBe(false);
    first.close();
    const second = Ledger.open(path, "store");
    expect([second.begin("/a"), second.begin("/b")]).toEqual([true, false]);
    second.put({
      ...{ path: "/a", identity: "1", size: 1, modifiedMs: 1, format: null, offset: 0, line: 1, whole: true },
      ...{ kept: { offset: 0, line: 1 }, fingerprint: "", reader: undefined, sink: {} },
      ...{ conversations: [], skipped: [] },
    });
    second.close();
    const third = Ledger.open(path, "store");
    expect([third.begin("/a"), third.begin("/b")]).toEqual([false, true]);
    third.close();
  });

  it("ends an import when it cannot be written, as a store does", () => {
    const path = join(tempFolder(), "ledger");
    const ledger = Ledger.open(path, "store");
    using other = new DatabaseSync(path);
    other.exec("DROP TABLE begun");
    expect(() => ledger.begin("/a")).toThrow(expect.objectContaining({ code: "SERVICE_UNAVAILABLE" }));
    ledger.close();
  });
});
