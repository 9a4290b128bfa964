import assert from "node:assert/strict";
import type { Conversation } from "../../store/conversation.ts";
import { allMessages, type Bench, idOf, refuses, say, type Topic, texts } from "../kit.ts";

/** A conversation of a question and its answer. */
export async function asked(bench: Bench): Promise<{ chat: Conversation; question: string; answer: string }> {
  const store = await bench.open({ durability: "process" });
  const chat = await store.open("web:tree");
  const [question, answer] = (await chat.append(say("question", "answer"))).entries;
  return { chat, question: idOf(question), answer: idOf(answer) };
}

/** The texts of the messages of a branch. */
export async function contents(chat: Conversation, branch?: string): Promise<unknown[]> {
  return texts(await allMessages(chat, branch === undefined ? {} : { branch }));
}

export const tree: Topic = (check) => {
  check("a branch starts after an entry and shares everything up to it", async (bench) => {
    const { chat, question, answer } = await asked(bench);
    const { branch, entries, warnings } = await chat.branch(question, { name: "try" });
    const { createdAt, ...rest } = branch;
    assert.deepEqual(rest, {
      ...{ name: "try", head: question, forkedFrom: question, parent: "main" },
      ...{ depth: 2, entryCount: 0, active: false, warning: null },
    });
    assert.ok(createdAt !== null && !Number.isNaN(Date.parse(createdAt)));
    assert.deepEqual([entries, warnings], [[], []]);
    const info = await chat.info();
    assert.deepEqual([info.head, info.branchCount], [answer, 2]);
    const [other] = (await chat.append(say("another answer"), { branch: "try" })).entries;
    assert.equal(other?.parentId, question);
    assert.deepEqual(await contents(chat), ["question", "answer"]);
    assert.deepEqual(await contents(chat, "try"), ["question", "another answer"]);
    const { head, messageCount } = await chat.info();
    assert.deepEqual([head, messageCount], [answer, 3]);
    const [next] = (await chat.append(say("next"))).entries;
    assert.equal(next?.parentId, answer);
    assert.deepEqual(await contents(chat), ["question", "answer", "next"]);
  });

  check("ten answers to one question are ten siblings", async (bench) => {
    const { chat, question, answer } = await asked(bench);
    for (let n = 2; n <= 10; n++) {
      await chat.regenerate(answer, { name: `answer-${n}` });
      await chat.append(say(`answer ${n}`));
    }
    const branches = await chat.branches();
    assert.deepEqual(
      branches.map(({ depth }) => depth),
      [1, ...Array.from({ length: 9 }, () => 2)],
    );
    assert.deepEqual(new Set(branches.slice(1).map(({ parent }) => parent)), new Set(["main"]));
    assert.deepEqual(new Set(branches.slice(1).map(({ forkedFrom }) => forkedFrom)), new Set([question]));
    assert.deepEqual(
      branches.map(({ entryCount }) => entryCount),
      [2, ...Array.from({ length: 9 }, () => 1)],
    );
    assert.deepEqual(await contents(chat), ["question", "answer 10"]);
    assert.deepEqual(await contents(chat, "main"), ["question", "answer"]);
  });

  check("a branch from null starts empty", async (bench) => {
    const { chat } = await asked(bench);
    const { branch } = await chat.branch(null, { name: "fresh", checkout: true });
    assert.deepEqual([branch.forkedFrom, branch.head, branch.depth, branch.active], [null, null, 2, true]);
    assert.deepEqual(await contents(chat), []);
    const [first] = (await chat.append(say("hello again"), { expectedHead: null })).entries;
    assert.equal(first?.parentId, null);
    assert.deepEqual(await contents(chat), ["hello again"]);
    assert.equal((await chat.info()).messageCount, 3);
  });

  check("a conversation without a message can be branched", async (bench) => {
    const store = await bench.open();
    const chat = await store.create();
    await chat.branch(null, { name: "b" });
    await chat.append(say("on main"));
    await chat.append(say("on b"), { branch: "b" });
    assert.deepEqual([await contents(chat), await contents(chat, "b")], [["on main"], ["on b"]]);
  });

  check("appends go to the checked-out branch", async (bench) => {
    const { chat, question, answer } = await asked(bench);
    await chat.branch(question, { name: "b", checkout: true });
    await chat.append(say("on b"));
    const { branch } = await chat.checkout("main");
    assert.deepEqual([branch.name, branch.active, branch.head], ["main", true, answer]);
    assert.equal((await chat.info()).head, answer);
    await chat.append(say("on main"));
    await chat.checkout("b");
    await chat.append(say("again on b"));
    assert.deepEqual(await contents(chat), ["question", "on b", "again on b"]);
    assert.deepEqual(await contents(chat, "main"), ["question", "answer", "on main"]);
    assert.deepEqual(
      (await chat.branches()).map(({ name, active, entryCount }) => [name, active, entryCount]),
      [
        ["main", false, 3],
        ["b", true, 2],
      ],
    );
  });

  check.persistent("a checkout applies to all callers and survives reopening", async (bench) => {
    const { chat, question } = await asked(bench);
    const other = await (await bench.open()).open("web:tree");
    await chat.branch(question, { name: "b", checkout: true });
    await chat.append(say("on b"));
    assert.deepEqual(await contents(other), ["question", "on b"]);
    await other.append(say("from the other"));
    const store = await bench.open();
    const again = await store.open("web:tree");
    assert.deepEqual(await contents(again), ["question", "on b", "from the other"]);
    assert.deepEqual(await again.branches(), await chat.branches());
    assert.deepEqual((await store.list()).items[0], await chat.info());
    assert.deepEqual((await store.verify()).findings, []);
  });

  check("an edit is a sibling on a new branch, in one write", async (bench) => {
    const { chat, question } = await asked(bench);
    const { branch, entries } = await chat.edit(question, say("better question", "better answer"));
    assert.deepEqual([branch.forkedFrom, branch.active, branch.entryCount], [null, true, 2]);
    assert.equal(entries[0]?.parentId, null);
    assert.deepEqual(await contents(chat), ["better question", "better answer"]);
    assert.deepEqual(await contents(chat, "main"), ["question", "answer"]);
  });

  check("a retried edit changes nothing", async (bench) => {
    const { chat, answer } = await asked(bench);
    const first = await chat.edit(answer, say("better"), { operationId: "edit-1" });
    const again = await chat.edit(answer, say("better"), { operationId: "edit-1" });
    assert.deepEqual(again.entries, first.entries);
    assert.equal(again.branch.name, first.branch.name);
    assert.deepEqual([(await chat.branches()).length, (await chat.info()).messageCount], [2, 3]);
    await refuses("CONFLICT", chat.edit(answer, say("other"), { operationId: "edit-1" }));
  });

  check("flattening makes the checked-out path main and keeps the rest", async (bench) => {
    const { chat, question } = await asked(bench);
    await chat.branch(question, { name: "b", checkout: true });
    const [head] = (await chat.append(say("on b"))).entries;
    const { branch } = await chat.flatten();
    assert.deepEqual([branch.name, branch.active, branch.head], ["main", true, head?.id]);
    assert.equal((await chat.info()).head, head?.id);
    assert.deepEqual(await contents(chat, "main"), ["question", "on b"]);
    assert.deepEqual(await contents(chat, "former-main"), ["question", "answer"]);
    assert.deepEqual(
      (await chat.branches()).map(({ name, parent, depth, forkedFrom, entryCount, active }) => [
        ...[name, parent, depth],
        ...[forkedFrom, entryCount, active],
      ]),
      [
        ["main", null, 1, null, 2, true],
        ["former-main", "main", 2, question, 1, false],
      ],
    );
    await chat.flatten();
    assert.equal((await chat.branches()).length, 2);
    await chat.checkout("former-main");
    await chat.flatten();
    assert.deepEqual((await chat.branches()).map(({ name }) => name).toSorted(), ["former-main-2", "main"]);
  });

  check("labels name entries, and change neither the head nor the count", async (bench) => {
    const { chat, question, answer } = await asked(bench);
    const entry = await chat.label(question, "start");
    assert.equal(entry.kind, "label");
    await chat.label(answer, "good");
    await chat.label(question, "beginning");
    assert.deepEqual(
      (await chat.labels()).toSorted((a, b) => a.label.localeCompare(b.label)),
      [
        { entry: question, label: "beginning" },
        { entry: answer, label: "good" },
      ],
    );
    await chat.label(answer, null);
    assert.deepEqual(await chat.labels(), [{ entry: question, label: "beginning" }]);
    const info = await chat.info();
    assert.deepEqual([info.head, info.messageCount], [answer, 2]);
    assert.deepEqual(await contents(chat), ["question", "answer"]);
  });

  check("a comparison shows where two branches diverge and what each added", async (bench) => {
    const { chat, question, answer } = await asked(bench);
    await chat.branch(question, { name: "b" });
    const [onB] = (await chat.append(say("on b"), { branch: "b" })).entries;
    await chat.branch(idOf(onB), { name: "c" });
    await chat.append(say("on c"), { branch: "c" });
    await chat.branch(null, { name: "fresh" });
    const mine = await chat.compare("main", "c");
    assert.deepEqual(
      [mine.commonAncestor, texts(mine.a), texts(mine.b)],
      [question, ["answer"], ["on b", "on c"]],
    );
    const nested = await chat.compare("c", "b");
    assert.deepEqual([nested.commonAncestor, texts(nested.a), nested.b], [onB?.id, ["on c"], []]);
    const same = await chat.compare("main", "main");
    assert.deepEqual([same.commonAncestor, same.a, same.b], [answer, [], []]);
    assert.equal((await chat.compare("main", "fresh")).commonAncestor, null);
  });

  check("expectedHead refers to the branch that is written to", async (bench) => {
    const { chat, question, answer } = await asked(bench);
    await chat.branch(question, { name: "b" });
    const [onB] = (await chat.append(say("on b"), { branch: "b", expectedHead: question })).entries;
    await chat.append(say("on main"), { expectedHead: answer });
    const error = await refuses(
      "CONFLICT",
      chat.append(say("late"), { branch: "b", expectedHead: question }),
    );
    assert.equal(error.details?.head, onB?.id);
    await chat.append(say("in time"), { branch: "b", expectedHead: idOf(onB) });
  });

  check("pages of a branch continue while other branches are written", async (bench) => {
    const { chat, question } = await asked(bench);
    await chat.branch(question, { name: "b" });
    // Run by run, so that the path is made of many pieces.
    for (let n = 0; n < 30; n++) await chat.append(say(`b${n}`), { branch: n % 3 === 0 ? "main" : "b" });
    const whole = await contents(chat, "b");
    assert.equal(whole.length, 21);
    const forward: unknown[] = [];
    const backward: unknown[] = [];
    let up = await chat.messages({ branch: "b", limit: 4 });
    let down = await chat.messages({ branch: "b", last: 4 });
    for (let n = 0; n < 6; n++) {
      forward.push(...texts(up.items));
      backward.unshift(...texts(down.items));
      await chat.append(say("elsewhere"));
      await chat.branch(question);
      up = await chat.messages({ branch: "b", limit: 4, cursor: up.cursor });
      down = await chat.messages({ branch: "b", limit: 4, cursor: down.cursor });
    }
    assert.deepEqual([forward, backward], [whole, whole]);
    assert.deepEqual([up.cursor, down.cursor], [null, null]);
    const around = await chat.messages({
      branch: "b",
      before: idOf((await chat.messages({ branch: "b", last: 1 })).items[0]),
      limit: 2,
    });
    assert.deepEqual(texts(around.items), whole.slice(-3, -1));
  });

  check("the whole log has every branch and every change to them", async (bench) => {
    const { chat, question } = await asked(bench);
    await chat.branch(question, { name: "b", checkout: true });
    await chat.append(say("on b"));
    await chat.label(question, "start");
    const { items } = await chat.entries({ all: true });
    assert.deepEqual(
      items.map(({ kind, seq }) => [kind, seq]),
      [
        ["message", 1],
        ["message", 2],
        ["info", 3],
        ["message", 4],
        ["label", 5],
      ],
    );
    assert.deepEqual(texts((await chat.messages({ all: true })).items), ["question", "answer", "on b"]);
    assert.deepEqual(
      (await chat.entries()).items.map(({ seq }) => seq),
      [1, 4],
    );
  });
};
