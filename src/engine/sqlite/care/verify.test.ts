import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { turnsDuring } from "../../../../test/support/processes/loop-turns.ts";
import { tempFolder } from "../../../../test/support/temp-folder.ts";
import { openStore } from "../../../store/open.ts";

/** Damage, as SQL, and the finding that it must cause. */
const DAMAGE: readonly (readonly [string, string])[] = [
  ["UPDATE conversations SET message_count = 99", "wrong-count"],
  ["UPDATE conversations SET head = 'nobody'", "wrong-head"],
  ["DELETE FROM entries WHERE seq = 2", "dangling-parent"],
  ["UPDATE entries SET body = '{\"role\":' WHERE seq = 3", "bad-entry"],
  ["UPDATE conversations SET context_state = '{'", "bad-context-state"],
  ["UPDATE entries SET conversation = 77 WHERE seq = 3", "orphan-entry"],
  ["UPDATE conversations SET branch_count = 2", "wrong-count"],
  ["UPDATE conversations SET compaction_count = 2", "wrong-count"],
  ["UPDATE conversations SET last_seq = 2", "wrong-seq"],
  ["UPDATE entries SET parent_id = (SELECT id FROM entries WHERE seq = 3) WHERE seq = 2", "cycle"],
  ["UPDATE entries SET parent_id = id WHERE seq = 2", "cycle"],
  [
    `UPDATE entries SET parent_id = (SELECT id FROM entries WHERE seq = 1) WHERE seq = 3;
    UPDATE entries SET parent_id = (SELECT id FROM entries WHERE seq = 3) WHERE seq = 2`,
    "late-parent",
  ],
  ["UPDATE entries SET branch = 2 WHERE seq = 3", "lost-branch"],
  ["UPDATE entries SET blobs = '[' WHERE seq = 3", "bad-entry"],
  [`UPDATE entries SET blobs = '[{"hash":"${"0".repeat(64)}"}]' WHERE seq = 3`, "missing-blob"],
  ["INSERT INTO journals VALUES (77, 'turn', '{}', 0)", "orphan-journal"],
  ["INSERT INTO journals SELECT n, 'turn', '{', 0 FROM conversations", "bad-journal"],
  ["INSERT INTO leases VALUES (77, '{}')", "orphan-lease"],
  ["INSERT INTO operations VALUES ('op', 77, 1, 1, 0)", "orphan-operation"],
  ["UPDATE entries SET body = replace(body, 'b', 'd') WHERE seq = 2", "bad-entry"],
  ["UPDATE entries SET at = at + 1 WHERE seq = 2", "bad-entry"],
  ["UPDATE entries SET at = at | (1 << 60) WHERE seq = 2", "bad-entry"],
  ["UPDATE entries SET seq = 4 WHERE seq = 3", "bad-entry"],
  ["UPDATE entries SET id = upper(id) WHERE seq = 3", "bad-entry"],
  ["UPDATE entries SET kind = 'massage' WHERE seq = 3", "bad-entry"],
  ["UPDATE entries SET n = 77 WHERE seq = 3", "bad-entry"],
  ["UPDATE entries SET op = 'op' WHERE seq = 3", "bad-operation"],
  ["UPDATE conversations SET title = 'Other'", "damaged-metadata"],
  ["UPDATE conversations SET key = 'cli:other'", "damaged-metadata"],
  ["UPDATE conversations SET updated_at = updated_at - 1", "wrong-tally"],
  ["UPDATE conversations SET last_message_at = 1 << 60", "wrong-tally"],
  ["UPDATE changes SET type = 'purged'", "bad-change"],
  ["INSERT INTO operations SELECT 'op', n, 1, 1, 0 FROM conversations", "bad-operation"],
  ["INSERT INTO journals SELECT n, 'turn', '{}', 0 FROM conversations", "bad-journal"],
  ["INSERT INTO blob_chunks (blob, position, data) VALUES (77, 0, x'00')", "orphan-chunk"],
];

/** The same for a store with one large part, which is stored as a blob. */
const BLOB_DAMAGE: readonly (readonly [string, string])[] = [
  ["DELETE FROM blob_chunks; DELETE FROM blobs", "missing-blob"],
  ["DELETE FROM blob_chunks", "bad-blob"],
  ["UPDATE blob_chunks SET position = 1", "bad-blob"],
  ["UPDATE blob_chunks SET data = zeroblob(length(data))", "bad-blob"],
  ["UPDATE blobs SET hash = iif(hash LIKE 'f%', 'e', 'f') || substr(hash, 2)", "missing-blob"],
];

describe("verify on SQLite", () => {
  it("lets the event loop turn while it reads a large store", async () => {
    await using store = await openStore(`sqlite:${join(tempFolder(), "store.db")}`);
    const chat = await store.create();
    const content = "words ".repeat(1000);
    await chat.append(Array.from({ length: 400 }, () => ({ role: "user" as const, content })));
    expect((await store.verify()).ok).toBe(true);
    const turns = await turnsDuring(async () => expect((await store.verify()).findings).toEqual([]));
    expect(turns).toBeGreaterThan(50);
  });

  it("needs no more memory for a larger store", async () => {
    const path = join(tempFolder(), "store.db");
    await using store = await openStore(`sqlite:${path}`);
    const chat = await store.create();
    const content = "words ".repeat(2500);
    for (let n = 0; n < 20; n++) {
      await chat.append(Array.from({ length: 200 }, () => ({ role: "user" as const, content })));
    }
    const script = `import { openStore } from ${JSON.stringify(import.meta.resolve("../../../store/open.ts"))};
      await using store = await openStore(${JSON.stringify(`sqlite:${path}`)}, { readonly: true });
      console.log((await store.verify()).entries);`;
    const args = ["--max-old-space-size=48", "--input-type=module", "--eval", script];
    expect(execFileSync(process.execPath, args, { encoding: "utf8", timeout: 30_000 })).toBe("4000\n");
  });

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

  it.each(["compressed", "plain"])("finds a blob that is %s", async (kind) => {
    const text =
      kind === "compressed" ? "much the same ".repeat(5000) : randomBytes(60_000).toString("base64");
    const source = { type: "base64", media_type: "image/png", data: text };
    const large =
      kind === "compressed"
        ? { type: "tool_result", tool_use_id: "t", content: text }
        : { type: "image", source };
    for (const [sql, code] of BLOB_DAMAGE) {
      const path = join(tempFolder(), "store.db");
      await using store = await openStore(`sqlite:${path}`);
      await (await store.create()).append({ role: "user", content: [large] });
      expect(await store.verify()).toMatchObject({ ok: true, findings: [] });
      const database = new DatabaseSync(path);
      database.exec(`PRAGMA foreign_keys = OFF; ${sql}`);
      database.close();
      expect(
        (await store.verify()).findings.map((finding) => finding.code),
        sql,
      ).toContain(code);
    }
  });

  it("finds damage that reading skips and reports once", async () => {
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

describe("verifying a long conversation", () => {
  it("does not follow the parents of every entry", { timeout: 15_000 }, async () => {
    await using store = await openStore(`sqlite:${join(tempFolder(), "store.db")}`, {
      durability: "process",
    });
    const chat = await store.create();
    for (let n = 0; n < 6; n++)
      await chat.append(Array.from({ length: 1000 }, () => ({ role: "user" as const, content: "x" })));
    // Following every parent takes more than a minute.
    expect((await store.verify()).findings).toEqual([]);
  });
});

describe("a SQLite file that is removed under an open store", () => {
  it("accepts no more writes, because they would be lost", async () => {
    const folder = tempFolder();
    await using store = await openStore(`sqlite:${join(folder, "store.db")}`);
    const chat = await store.create();
    for (const name of readdirSync(folder)) rmSync(join(folder, name));
    const refusal = { code: "SERVICE_UNAVAILABLE", message: /removed or replaced/ };
    await expect(chat.append({ role: "user", content: "lost" })).rejects.toMatchObject(refusal);
    await expect(store.repair()).rejects.toMatchObject(refusal);
  });
});
