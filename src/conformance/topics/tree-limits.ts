import assert from "node:assert/strict";
import type { Conversation } from "../../store/conversation.ts";
import { idOf, refuses, say, type Topic } from "../kit.ts";
import { asked, contents } from "./tree.ts";

/** Branches `d2`, `d3` … each of which starts on the one before. */
async function nest(chat: Conversation, from: string, depth: number): Promise<string> {
  let head = from;
  for (let level = 2; level <= depth; level++) {
    await chat.branch(head, { name: `d${level}` });
    head = idOf((await chat.append(say(`at depth ${level}`), { branch: `d${level}` })).entries[0]);
  }
  return head;
}

type Call = (made: { chat: Conversation; question: string; answer: string }) => Promise<unknown>;

/** What is wrong, its code, the call. The conversation has `main`, `other`, and `gone`, which was pruned. */
const REFUSED: readonly (readonly [string, "NOT_FOUND" | "CONFLICT" | "VALIDATION_ERROR", Call])[] = [
  ["branching from an unknown entry", "NOT_FOUND", ({ chat }) => chat.branch("nobody")],
  ["branching from an invalid id", "VALIDATION_ERROR", ({ chat }) => chat.branch("")],
  ["branching from nothing at all", "VALIDATION_ERROR", ({ chat }) => chat.branch(undefined as never)],
  ["a name that is taken", "CONFLICT", ({ chat, question }) => chat.branch(question, { name: "other" })],
  [
    "the name of the first branch",
    "CONFLICT",
    ({ chat, question }) => chat.branch(question, { name: "main" }),
  ],
  ["an empty name", "VALIDATION_ERROR", ({ chat, question }) => chat.branch(question, { name: "" })],
  [
    "a name with a line end",
    "VALIDATION_ERROR",
    ({ chat, question }) => chat.branch(question, { name: "a\nb" }),
  ],
  [
    "a misspelt option",
    "VALIDATION_ERROR",
    ({ chat, question }) => chat.branch(question, { nam: "x" } as object),
  ],
  ["checking out an unknown branch", "NOT_FOUND", ({ chat }) => chat.checkout("nowhere")],
  ["checking out a pruned branch", "NOT_FOUND", ({ chat }) => chat.checkout("gone")],
  ["writing to a pruned branch", "NOT_FOUND", ({ chat }) => chat.append(say("x"), { branch: "gone" })],
  ["reading a pruned branch", "NOT_FOUND", ({ chat }) => chat.messages({ branch: "gone" })],
  [
    "reading with both branch and all",
    "VALIDATION_ERROR",
    ({ chat }) => chat.entries({ branch: "main", all: true }),
  ],
  ["pruning without a criterion", "VALIDATION_ERROR", ({ chat }) => chat.pruneBranches({})],
  ["pruning an unknown branch", "NOT_FOUND", ({ chat }) => chat.pruneBranches({ names: ["nowhere"] })],
  ["pruning main", "VALIDATION_ERROR", ({ chat }) => chat.pruneBranches({ names: ["main"] })],
  ["editing an unknown entry", "NOT_FOUND", ({ chat }) => chat.edit("nobody", say("x"))],
  ["editing to empty content", "VALIDATION_ERROR", ({ chat, answer }) => chat.edit(answer, [])],
  ["labelling an unknown entry", "NOT_FOUND", ({ chat }) => chat.label("nobody", "x")],
  ["comparing with an unknown branch", "NOT_FOUND", ({ chat }) => chat.compare("main", "nowhere")],
];

export const treeLimits: Topic = (check) => {
  check("pruning supports dry runs and never removes shared entries", async (bench) => {
    const { chat, question } = await asked(bench);
    await chat.branch(question, { name: "b" });
    const [shared] = (await chat.append(say("shared"), { branch: "b" })).entries;
    await chat.branch(idOf(shared), { name: "c" });
    await chat.append(say("of b", "of b too"), { branch: "b" });
    await chat.append(say("of c"), { branch: "c" });
    const before = await chat.info();
    const plan = await chat.pruneBranches({ names: ["b"], dryRun: true });
    assert.deepEqual(
      [plan.dryRun, plan.removed.map(({ id, name, entries }) => [id, name, entries])],
      [true, [[chat.id, "b", 2]]],
    );
    assert.ok(plan.bytes > 0);
    assert.deepEqual(await chat.info(), before);
    const done = await chat.pruneBranches({ names: ["b"] });
    assert.deepEqual(done, { ...plan, dryRun: false });
    assert.deepEqual(await contents(chat, "c"), ["question", "shared", "of c"]);
    assert.deepEqual(
      (await chat.branches()).map(({ name }) => name),
      ["main", "c"],
    );
    const info = await chat.info();
    assert.deepEqual(
      [info.messageCount, info.branchCount],
      [before.messageCount - 2, before.branchCount - 1],
    );
    const { items } = await chat.entries({ all: true, limit: 1000 });
    assert.ok(!JSON.stringify(items).includes("of b"));
  });

  check("pruning selects by age, by count and by abandonment", async (bench) => {
    let nowMs = Date.UTC(2026, 0, 1);
    const store = await bench.open({ clock: () => nowMs });
    const chat = await store.create();
    const [question] = (await chat.append(say("question"))).entries;
    for (const name of ["first", "second", "third"]) {
      nowMs += 24 * 3_600_000;
      await chat.branch(idOf(question), { name });
      await chat.append(say(`on ${name}`), { branch: name });
    }
    const plan = async (options: Parameters<Conversation["pruneBranches"]>[0]): Promise<string[]> =>
      (await chat.pruneBranches({ ...options, dryRun: true })).removed.map(({ name }) => name).toSorted();
    assert.deepEqual(await plan({ olderThanDays: 1.5 }), ["first"]);
    assert.deepEqual(await plan({ keep: 1 }), ["first", "second"]);
    assert.deepEqual(await plan({ keep: 9 }), []);
    // A branch that was created last but never written to does not displace one with messages.
    await chat.branch(idOf(question), { name: "empty" });
    assert.deepEqual(await plan({ keep: 1 }), ["empty", "first", "second"]);
    await chat.pruneBranches({ names: ["empty"] });
    assert.deepEqual(await plan({ abandoned: true }), []);
    await chat.checkout("second");
    nowMs += 1000;
    await chat.append(say("later"));
    assert.deepEqual(await plan({ abandoned: true }), ["first", "third"]);
    assert.deepEqual(await plan({ olderThanDays: 0 }), ["first", "third"]);
    await refuses("VALIDATION_ERROR", chat.pruneBranches({ names: ["second"] }));
  });

  check("depth 10 is allowed, 11 is refused, and above 7 there is a warning", async (bench) => {
    const { chat, answer } = await asked(bench);
    const head = await nest(chat, answer, 10);
    const branches = await chat.branches();
    assert.equal(branches.at(-1)?.depth, 10);
    assert.deepEqual(
      branches.filter(({ warning }) => warning !== null).map(({ depth }) => depth),
      [8, 9, 10],
    );
    const error = await refuses("VALIDATION_ERROR", chat.branch(head, { name: "d11" }), /depth 11/);
    assert.equal(error.field, "depth");
    assert.equal((await chat.branches()).length, 10);
    await chat.checkout("d10");
    await chat.flatten();
    assert.equal((await chat.branch(head, { name: "d11" })).branch.depth, 2);
  });

  check("the depth limits can be set", async (bench) => {
    const store = await bench.open({ tree: { maxDepth: 3, warningDepth: 1 } });
    const chat = await store.create();
    const [question] = (await chat.append(say("question"))).entries;
    const { warnings } = await chat.branch(idOf(question), { name: "w" });
    assert.match(String(warnings[0]), /depth 2 of at most 3/);
    const head = await nest(chat, idOf(question), 3);
    await refuses("VALIDATION_ERROR", chat.branch(head), /limit of 3/);
  });

  check("a name is generated if none is given, and can be in any script", async (bench) => {
    const { chat, question } = await asked(bench);
    assert.equal((await chat.branch(question)).branch.name, "branch-1");
    assert.equal((await chat.branch(question)).branch.name, "branch-2");
    for (const name of ["日本語", "with space", "a/b:c", "constructor", "__proto__", "BRANCH-1"]) {
      assert.equal((await chat.branch(question, { name })).branch.name, name);
      await chat.append(say(`on ${name}`), { branch: name });
      assert.deepEqual(await contents(chat, name), ["question", `on ${name}`]);
    }
    const together = await Promise.all(Array.from({ length: 4 }, () => chat.branch(question)));
    assert.equal(new Set(together.map(({ branch }) => branch.name)).size, 4);
  });

  for (const [what, code, call] of REFUSED) {
    check(`${what} is refused, and nothing changes`, async (bench) => {
      const made = await asked(bench);
      const { chat, question } = made;
      await chat.branch(question, { name: "other" });
      await chat.branch(question, { name: "gone" });
      await chat.pruneBranches({ names: ["gone"] });
      const before = [await chat.info(), await chat.branches()];
      await refuses(code, call(made));
      assert.deepEqual([await chat.info(), await chat.branches()], before);
    });
  }

  check("a store with branches disabled refuses new ones", async (bench) => {
    const store = await bench.open({ treeEnabled: false });
    const chat = await store.create();
    const [question] = (await chat.append(say("question"))).entries;
    await refuses("NOT_SUPPORTED", chat.branch(idOf(question)));
    await refuses("NOT_SUPPORTED", chat.edit(idOf(question), say("other")));
    await refuses("NOT_SUPPORTED", chat.flatten());
    assert.deepEqual(await contents(chat), ["question"]);
  });
};
