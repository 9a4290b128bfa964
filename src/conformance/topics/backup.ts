import assert from "node:assert/strict";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { Conversation } from "../../store/conversation.ts";
import type { Store } from "../../store/store.ts";
import { Child, SHARED_KEY } from "../child-process.ts";
import { allMessages, type Bench, idOf, refuses, say, type Topic, texts } from "../kit.ts";

/** A folder in which the engine finds a backup as it would find its store. */
function folderFor(bench: Bench, store: Store): { folder: string; path: string } {
  const folder = join(bench.folder, "copies");
  mkdirSync(folder, { recursive: true });
  return { folder, path: join(folder, basename(store.path as string)) };
}

export const backup: Topic = (check) => {
  check.persistent("a backup is a complete store", async (bench) => {
    const store = await bench.open();
    const chat = await store.open("web:1", { title: "Kept" });
    const [first] = (await chat.append(say("one", "two"))).entries;
    await chat.branch(idOf(first), { name: "b", checkout: true });
    const content = [{ type: "tool_result" as const, tool_use_id: "t", content: "output ".repeat(10_000) }];
    await chat.append({ role: "user", content });
    await store.delete((await store.create({ title: "Trashed" })).id);
    const { hash } = await store.putBlob(Buffer.from("loose bytes"));
    const gone = await store.create();
    await store.purge(gone.id, { force: true });
    const { folder, path } = folderFor(bench, store);
    const report = await store.backup(path);
    assert.deepEqual(
      [report.path, report.engine, report.conversations, report.entries],
      [path, store.engine, 2, 4],
    );
    assert.ok(report.bytes > 0);
    const copy = await bench.open({}, folder);
    const found = await copy.open("web:1");
    assert.deepEqual(await found.info(), await chat.info());
    assert.deepEqual(await found.branches(), await chat.branches());
    for (const branch of ["main", "b"]) {
      assert.deepEqual(await allMessages(found, { branch }), await allMessages(chat, { branch }));
    }
    assert.deepEqual(
      (await copy.list({ trash: true })).items.map(({ title }) => title),
      ["Trashed"],
    );
    assert.notEqual(await copy.blob(hash), undefined);
    assert.equal(await copy.wasPurged(gone.id), true);
    assert.deepEqual((await copy.verify()).findings, []);
    await found.append(say("only in the copy"));
    assert.equal((await chat.info()).messageCount, 3);
  });

  check.persistent(
    "a backup under load is consistent and has everything acknowledged before it",
    async (bench) => {
      const store = await bench.open({ durability: "process" });
      const mine = await store.create();
      await using children = new AsyncDisposableStack();
      const writers = ["a", "b"].map((writer) =>
        children.use(new Child(bench, { task: "write", writer, count: 100_000, batch: 3 })),
      );
      await Promise.all(writers.map((child) => child.heard("ack", 10)));
      for (let n = 0; n < 20; n++) await mine.append(say(`m${n}`));
      const promised = writers.map((child) => child.said("ack").length);
      let writing = true;
      const meanwhile = (async () => {
        for (let n = 20; writing; n++) {
          await mine.append(say(`m${n}`));
          // An engine that answers at once would leave no time for anything else.
          await new Promise(setImmediate);
        }
      })();
      const { folder, path } = folderFor(bench, store);
      await store.backup(path);
      writing = false;
      await meanwhile;
      await Promise.all(writers.map((child) => child.kill()));
      const copy = await bench.open({}, folder);
      assert.deepEqual((await copy.verify()).findings, []);
      const kept = texts(await allMessages((await copy.get(mine.id)) as Conversation));
      assert.ok(kept.length >= 20, `${kept.length} of 20`);
      assert.deepEqual(
        kept,
        Array.from({ length: kept.length }, (_, n) => `m${n}`),
      );
      const shared = texts(await allMessages(await copy.open(SHARED_KEY)));
      for (const [index, { job }] of writers.entries()) {
        const own = shared.filter((content) => String(content).startsWith(`${job.writer} `));
        assert.ok(own.length >= (promised[index] as number) * 3, `${own.length} of ${promised[index]} × 3`);
        assert.equal(own.length % 3, 0, "Part of an append is missing");
      }
    },
  );

  check.persistent("a backup never overwrites anything", async (bench) => {
    const store = await bench.open();
    await (await store.create()).append(say("one"));
    const { path } = folderFor(bench, store);
    writeFileSync(path, "another file");
    await refuses("CONFLICT", store.backup(path));
    await refuses("CONFLICT", store.backup(bench.folder));
    await refuses("VALIDATION_ERROR", store.backup(""));
    const elsewhere = join(bench.folder, "second");
    await store.backup(elsewhere);
    await refuses("CONFLICT", store.backup(elsewhere));
    assert.deepEqual((await store.verify()).findings, []);
  });

  check.persistent("a backup to an unwritable place fails and leaves nothing behind", async (bench) => {
    const store = await bench.open();
    await (await store.create()).append(say("one"));
    const file = join(bench.folder, "file");
    writeFileSync(file, "not a folder");
    const before = readdirSync(bench.folder);
    await refuses("SERVICE_UNAVAILABLE", store.backup(join(file, "copy")));
    assert.deepEqual(readdirSync(bench.folder), before);
    await (await store.create()).append(say("two"));
  });

  check("an engine that is not persistent does not support backups", async (bench) => {
    if (bench.persistent) return;
    const store = await bench.open();
    await refuses("NOT_SUPPORTED", store.backup(join(bench.folder, "copy")));
  });
};
