import assert from "node:assert/strict";
import type { Conversation } from "../../../store/conversation.ts";
import { filesWith } from "../../disk.ts";
import { allMessages, idOf, refuses, say, type Topic, texts } from "../../kit.ts";

const SECRET = "swordfish";

async function everythingOf(chat: Conversation): Promise<string> {
  const { items } = await chat.entries({ all: true, limit: 1000 });
  return JSON.stringify([items, await chat.branches(), await chat.labels(), await chat.info()]);
}

/** A conversation whose branch is named by the secret in every way that an entry can. */
async function branched(chat: Conversation): Promise<void> {
  const [first] = (await chat.append(say("one", "two"))).entries;
  await chat.branch(idOf(first), { name: SECRET });
  await chat.checkout(SECRET);
  await chat.append(say("on the branch"));
  await chat.checkout("main");
  await chat.summarizeBranch(SECRET, { summarize: () => "a summary" });
}

export const names: Topic = (check) => {
  check("a branch whose name is redacted keeps its messages under a neutral name", async (bench) => {
    const store = await bench.open();
    const chat = await store.create();
    await branched(chat);
    const receipt = await chat.redact({ branch: SECRET });
    assert.deepEqual([receipt.id, receipt.entries > 2, receipt.bytes > 0], [chat.id, true, true]);
    assert.ok(!(await everythingOf(chat)).includes(SECRET));
    const [, side] = await chat.branches();
    assert.match(side?.name as string, /^redacted-\d+$/);
    await chat.checkout(side?.name as string);
    await chat.append(say("going on"));
    assert.deepEqual(texts(await allMessages(chat)), ["one", "on the branch", "going on"]);
    await refuses("NOT_FOUND", chat.redact({ branch: SECRET }));
    await chat.branch(null, { name: SECRET });
    assert.deepEqual((await store.verify()).findings, []);
  });

  check("the entry that made a branch is redacted with every entry that repeats its name", async (bench) => {
    const chat = await (await bench.open()).create();
    await branched(chat);
    const { items } = await chat.entries({ all: true });
    const made = items.find(({ kind, data }) => kind === "info" && data?.type === "branch");
    await chat.redact(idOf(made));
    assert.ok(!(await everythingOf(chat)).includes(SECRET));
    assert.equal((await chat.redact(idOf(made))).entries, 0);
    await chat.flatten();
    await chat.pruneBranches({ keep: 0 });
    const changes = (await chat.entries({ all: true })).items;
    const pruning = changes.find(({ kind, data }) => kind === "info" && data?.type === "prune");
    await refuses("NOT_SUPPORTED", chat.redact(idOf(pruning)));
  });

  check("the name of a pruned branch, and of one that became main, can be redacted", async (bench) => {
    const chat = await (await bench.open()).create();
    const [first] = (await chat.append(say("one"))).entries;
    await chat.branch(idOf(first), { name: SECRET });
    await chat.append(say("gone"), { branch: SECRET });
    await chat.pruneBranches({ names: [SECRET] });
    await chat.branch(idOf(first), { name: SECRET, checkout: true });
    await chat.flatten();
    assert.ok((await everythingOf(chat)).includes(SECRET));
    await chat.redact({ branch: SECRET });
    assert.ok(!(await everythingOf(chat)).includes(SECRET));
    assert.deepEqual(
      (await chat.branches()).map(({ name }) => name),
      ["main", "former-main"],
    );
  });

  check("a label is redacted by its text, on every entry that has or had it", async (bench) => {
    const chat = await (await bench.open()).create();
    const [one, two] = (await chat.append(say("one", "two"))).entries;
    await chat.label(idOf(one), SECRET);
    await chat.label(idOf(two), SECRET);
    await chat.label(idOf(two), "harmless");
    assert.equal((await chat.redact({ label: SECRET })).entries, 2);
    assert.deepEqual(await chat.labels(), [{ entry: idOf(two), label: "harmless" }]);
    assert.ok(!(await everythingOf(chat)).includes(SECRET));
    await refuses("NOT_FOUND", chat.redact({ label: SECRET }));
  });

  check("a redacted key is free again, and its conversation is found by id", async (bench) => {
    const store = await bench.open();
    const key = `web:${SECRET}`;
    const chat = await store.open(key);
    await chat.append(say("kept"));
    const feed = store.changes();
    const receipt = await chat.redact({ key: true });
    assert.deepEqual([receipt.id, receipt.entries, receipt.bytes], [chat.id, 0, key.length]);
    assert.equal((await feed.next()).value?.type, "redacted");
    assert.equal((await chat.info()).key, null);
    assert.equal(await store.get(key), undefined);
    assert.deepEqual(texts(await allMessages((await store.get(chat.id)) as Conversation)), ["kept"]);
    assert.equal((await chat.redact({ key: true })).bytes, 0);
    const next = await store.open(key);
    assert.notEqual(next.id, chat.id);
    await chat.append(say("going on"));
    assert.deepEqual((await store.verify()).findings, []);
  });

  check("what to redact must be one thing", async (bench) => {
    const store = await bench.open();
    const chat = await store.create();
    const wrong = [{}, { branch: "a", label: "b" }, { key: false }, { branch: "" }, { name: "a" }, 7, null];
    for (const target of wrong) await refuses("VALIDATION_ERROR", chat.redact(target as { key: true }));
    await refuses("NOT_FOUND", chat.redact({ branch: "main" }));
    await store.delete(chat.id);
    await refuses("NOT_FOUND", chat.redact({ key: true }));
  });

  check.persistent("no file contains a redacted name, label or key", async (bench) => {
    const store = await bench.open();
    const chat = await store.open(`web:${SECRET}`);
    await branched(chat);
    const [first] = await allMessages(chat);
    await chat.label(idOf(first), `${SECRET} label`);
    await chat.compact({ summarize: () => "short", keepMessages: 1 });
    await store.delete(chat.id);
    await store.restore(chat.id);
    assert.ok(filesWith(bench.folder, SECRET).length > 0);
    const receipts = [
      await chat.redact({ branch: SECRET }),
      await chat.redact({ label: `${SECRET} label` }),
      await chat.redact({ key: true }),
    ];
    assert.deepEqual(
      receipts.flatMap(({ copies }) => copies),
      [],
    );
    assert.deepEqual(filesWith(bench.folder, SECRET), []);
    await store.close();
    const again = await bench.open();
    assert.deepEqual(filesWith(bench.folder, SECRET), []);
    assert.ok(!(await everythingOf((await again.get(chat.id)) as Conversation)).includes(SECRET));
    assert.deepEqual((await again.verify()).findings, []);
  });
};
