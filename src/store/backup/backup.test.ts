import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { openStore } from "../open.ts";
import { restoreBackup } from "./restore.ts";

async function filled(target: string): Promise<string> {
  await using store = await openStore(target);
  const chat = await store.open("cli:kept", { title: "Kept" });
  await chat.append(["one", "two", "three"].map((content) => ({ role: "user" as const, content })));
  const path = join(tempFolder(), "copy");
  const report = await store.backup(path);
  expect(report).toMatchObject({ path, conversations: 1, entries: 3 });
  expect(report.bytes).toBeGreaterThan(100);
  await chat.append({ role: "user", content: "after the backup" });
  return path;
}

function logsIn(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith(".jsonl"))
    .map((name) => join(folder, name));
}

/** Change one byte in the middle of a message. */
function damage(path: string): void {
  const bytes = readFileSync(path);
  const at = bytes.indexOf("three");
  bytes[at] = (bytes[at] as number) ^ 1;
  writeFileSync(path, bytes);
}

describe.each(["sqlite", "jsonl"])("a backup of %s", (engine) => {
  it("is restored unchanged", async () => {
    const copy = await filled(`${engine}:${join(tempFolder(), "store")}`);
    const target = `${engine}:${join(tempFolder(), "restored")}`;
    expect(await restoreBackup(copy, target)).toMatchObject({
      conversations: 1,
      entries: 3,
      checksums: true,
      former: null,
    });
    await using store = await openStore(target);
    const chat = await store.get("cli:kept");
    expect((await chat?.messages())?.items.map(({ message }) => message?.content)).toEqual([
      "one",
      "two",
      "three",
    ]);
    expect(await store.verify()).toMatchObject({ ok: true });
    await chat?.append({ role: "user", content: "goes on" });
  });

  it("does not overwrite a store, and renames it with force", async () => {
    const folder = tempFolder();
    const target = `${engine}:${join(folder, "store")}`;
    const copy = await filled(target);
    await expect(restoreBackup(copy, target)).rejects.toMatchObject({ code: "CONFLICT" });
    const { former } = await restoreBackup(copy, target, { force: true });
    await using old = await openStore(`${engine}:${former}`);
    expect((await old.list()).items[0]?.messageCount).toBe(4);
    await using now = await openStore(target);
    expect((await now.list()).items[0]?.messageCount).toBe(3);
  });

  it("has a feed of its own: cursors of the store mean nothing in it", async () => {
    const target = `${engine}:${join(tempFolder(), "store")}`;
    const copy = await filled(target);
    let cursor = "";
    {
      await using store = await openStore(target);
      const feed = store.changes();
      await (await store.open("cli:kept")).append({ role: "user", content: "later" });
      cursor = (await feed.next()).value?.cursor ?? "";
      await feed.return();
    }
    await restoreBackup(copy, target, { force: true });
    await using restored = await openStore(target);
    await expect(restored.changes({ since: cursor }).next()).rejects.toMatchObject({
      code: "VALIDATION_ERROR",
      field: "since",
    });
  });

  it("of a damaged store is restored with its damage", async () => {
    const place = join(tempFolder(), "store");
    await filled(`${engine}:${place}`);
    const [file] = engine === "sqlite" ? [place] : logsIn(place);
    if (engine === "sqlite") {
      using database = new DatabaseSync(file as string);
      database.exec("UPDATE conversations SET message_count = 99");
    } else damage(file as string);
    const again = join(tempFolder(), "again");
    {
      await using store = await openStore(`${engine}:${place}`, { onProblem: () => {} });
      expect((await store.backup(again)).ok).toBe(false);
    }
    const report = await restoreBackup(again, `${engine}:${join(tempFolder(), "restored")}`);
    expect(report).toMatchObject({ ok: false, checksums: true });
  });

  it("is refused when a single bit of it changed", async () => {
    const copy = await filled(`${engine}:${join(tempFolder(), "store")}`);
    const [file] = engine === "sqlite" ? [copy] : logsIn(copy);
    damage(file as string);
    const target = join(tempFolder(), "restored");
    await expect(restoreBackup(copy, `${engine}:${target}`)).rejects.toMatchObject({
      code: "SERVICE_UNAVAILABLE",
      message: /damaged/,
    });
    expect(existsSync(target)).toBe(false);
  });

  it("is restored without its checksums too, and reports it", async () => {
    const copy = await filled(`${engine}:${join(tempFolder(), "store")}`);
    rmSync(`${copy}.manifest.json`);
    const report = await restoreBackup(copy, `${engine}:${join(tempFolder(), "restored")}`);
    expect(report.checksums).toBe(false);
  });

  it("never overwrites a file", async () => {
    const copy = await filled(`${engine}:${join(tempFolder(), "store")}`);
    await using store = await openStore(`${engine}:${join(tempFolder(), "other")}`);
    await expect(store.backup(copy)).rejects.toMatchObject({ code: "CONFLICT" });
  });

  it("of another engine, or of nothing, is refused", async () => {
    const copy = await filled(`${engine}:${join(tempFolder(), "store")}`);
    const other = engine === "sqlite" ? "jsonl" : "sqlite";
    await expect(restoreBackup(copy, `${other}:${join(tempFolder(), "x")}`)).rejects.toMatchObject({
      code: "VALIDATION_ERROR",
    });
    await expect(restoreBackup(`${copy}-none`, `${engine}:${join(tempFolder(), "x")}`)).rejects.toMatchObject(
      { code: "NOT_FOUND" },
    );
  });
});
