import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { openStore } from "../../store/open.ts";

/** Damage, as SQL, and the finding that must come of it. */
const DAMAGE: readonly (readonly [string, string])[] = [
  ["UPDATE conversations SET message_count = 99", "wrong-count"],
  ["UPDATE conversations SET head = 'nobody'", "wrong-head"],
  ["DELETE FROM entries WHERE seq = 2", "dangling-parent"],
  ["UPDATE entries SET body = '{\"role\":' WHERE seq = 3", "bad-entry"],
  ["UPDATE conversations SET context_state = '{'", "bad-context-state"],
  ["UPDATE entries SET conversation = 77 WHERE seq = 3", "orphan-entry"],
];

describe("verify on SQLite", () => {
  it.each(DAMAGE)("finds what %s does", async (sql, code) => {
    const path = join(tempFolder(), "store.db");
    await using store = await openStore(`sqlite:${path}`);
    const chat = await store.create();
    await chat.append(["a", "b", "c"].map((content) => ({ role: "user" as const, content })));
    expect(await store.verify()).toMatchObject({ ok: true, conversations: 1, entries: 3, findings: [] });
    const database = new DatabaseSync(path);
    database.exec(`PRAGMA foreign_keys = OFF; ${sql}`);
    database.close();
    const report = await store.verify();
    expect(report.ok).toBe(false);
    expect(report.findings.map((finding) => finding.code)).toContain(code);
    expect(report.findings[0]?.source).toBe(path);
  });

  it("finds damage that reading passes over and reports once", async () => {
    const path = join(tempFolder(), "store.db");
    const problems: string[] = [];
    await using store = await openStore(`sqlite:${path}`, {
      onProblem: ({ message }) => problems.push(message),
    });
    const chat = await store.create({ title: "Kept" });
    await chat.append(["a", "b", "c"].map((content) => ({ role: "user" as const, content })));
    const database = new DatabaseSync(path);
    database.exec(
      "UPDATE entries SET body = '{' WHERE seq = 2; UPDATE conversations SET context_state = '{'",
    );
    database.close();
    for (let round = 0; round < 2; round++) {
      expect((await chat.messages()).items.map(({ message }) => message?.content)).toEqual(["a", "c"]);
      expect((await store.list()).items[0]).toMatchObject({ title: "Kept", contextState: null });
    }
    expect(problems).toHaveLength(2);
  });
});

describe("a SQLite file that is removed under an open store", () => {
  it("takes no more writes, because they would be lost", async () => {
    const folder = tempFolder();
    await using store = await openStore(`sqlite:${join(folder, "store.db")}`);
    const chat = await store.create();
    for (const name of readdirSync(folder)) rmSync(join(folder, name));
    await new Promise((resolve) => setTimeout(resolve, 60));
    const late = chat.append({ role: "user", content: "lost" });
    await expect(late).rejects.toMatchObject({ code: "SERVICE_UNAVAILABLE", message: /removed or replaced/ });
  });
});
