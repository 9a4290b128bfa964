/** Two connections to one file, each with a cache of trees. */
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { tempFolder } from "../../../../test/support/temp-folder.ts";
import type { Conversation } from "../../../store/conversation.ts";
import { openStore } from "../../../store/open.ts";
import type { EngineOptions } from "../../engine.ts";
import { SqliteEngine } from "../sqlite-engine.ts";

const OPTIONS: EngineOptions = {
  readonly: false,
  durability: "process",
  lockWaitMs: 5000,
  onProblem: (problem) => {
    throw problem;
  },
};

const said = (content: string) => ({ role: "user" as const, content });

/** Two connections change the same conversation in turn, and must agree on it after each step. */
async function inTurn(work: (chats: readonly Conversation[], agree: () => Promise<void>) => Promise<void>) {
  const path = join(tempFolder(), "store.db");
  const engines = [await SqliteEngine.open(path, OPTIONS), await SqliteEngine.open(path, OPTIONS)];
  const stores = await Promise.all(engines.map((engine) => openStore(engine)));
  const chats: Conversation[] = [];
  for (const store of stores) chats.push(await store.open("cli:x"));
  const { id } = chats[0] as Conversation;
  const agree = async () => {
    const reopened = await SqliteEngine.open(path, OPTIONS);
    const logEnd = await reopened.logEnd(id);
    for (const engine of engines) expect(await engine.logEnd(id)).toEqual(logEnd);
    expect((await reopened.verify()).findings).toEqual([]);
    reopened.close();
  };
  await work(chats, agree);
  await Promise.all(stores.map((store) => store.close()));
}

async function toAndFro([here, there]: readonly Conversation[], times: number): Promise<void> {
  for (let time = 0; time < times; time++) {
    await here?.append(said(`here ${time}`), { branch: "main" });
    await there?.append([said(`there ${time}`), said("and more")], { branch: "other" });
  }
}

describe("a cached tree", () => {
  it("stays right while two connections write to two branches in turn", async () => {
    await inTurn(async (chats, agree) => {
      const [here, there] = chats as [Conversation, Conversation];
      const [first] = (await here.append([said("a"), said("b")])).entries;
      await there.branch(first?.id as string, { name: "other" });
      await agree();
      for (let round = 0; round < 5; round++) {
        await toAndFro(chats, 3);
        await agree();
      }
      await here.checkout("other");
      await there.label(first?.id as string, "the first");
      await agree();
      await here.append(said("on the other"));
      await there.compact({ summarize: () => Promise.resolve("short"), keepMessages: 1 });
      await agree();
    });
  });

  it("is read again when the other connection has redacted an entry of the tree", async () => {
    await inTurn(async (chats, agree) => {
      const [here, there] = chats as [Conversation, Conversation];
      const [first] = (await here.append([said("a"), said("b")])).entries;
      const label = await here.label(first?.id as string, "a secret");
      await agree();
      await there.redact(label.id);
      await there.append(said("c"));
      expect(await here.labels()).toEqual([]);
      await agree();
    });
  });

  it("is read again when the other connection has pruned a branch", async () => {
    await inTurn(async (chats, agree) => {
      const [here, there] = chats as [Conversation, Conversation];
      const [first] = (await here.append([said("a"), said("b")])).entries;
      await there.branch(first?.id as string, { name: "other" });
      await there.branch(first?.id as string, { name: "gone", checkout: true });
      await here.append(["c", "d", "e"].map(said), { branch: "gone" });
      await there.compact({ summarize: () => Promise.resolve("short"), keepMessages: 1 });
      await there.checkout("main");
      await toAndFro(chats, 2);
      await agree();
      expect(await here.compactions()).toHaveLength(1);
      await there.pruneBranches({ names: ["gone"] });
      await there.append(said("f"));
      expect(await here.compactions()).toEqual([]);
      await toAndFro(chats, 2);
      await agree();
    });
  });

  it("is dropped with a conversation that was purged and created again", async () => {
    const path = join(tempFolder(), "store.db");
    const [here, there] = [await openStore(`sqlite:${path}`), await openStore(`sqlite:${path}`)];
    const mine = await here.create();
    const [first] = (await mine.append([said("a"), said("b")])).entries;
    await mine.branch(first?.id as string, { name: "other", checkout: true });
    await there.purge(mine.id, { force: true });
    const theirs = await there.create({ id: mine.id });
    await theirs.append(["c", "d", "e", "f"].map(said));
    expect((await mine.branches()).map(({ name, entryCount }) => [name, entryCount])).toEqual([["main", 4]]);
    await there.delete(mine.id);
    await expect(mine.append(said("g"))).rejects.toMatchObject({ code: "NOT_FOUND" });
    await Promise.all([here.close(), there.close()]);
  });
});
