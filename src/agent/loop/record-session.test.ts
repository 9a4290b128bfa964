import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { Dice } from "../../../test/sim/dice.ts";
import { SimulatedDisk } from "../../../test/sim/simulated-disk.ts";
import { scriptedModel } from "../../../test/support/models/scripted-model.ts";
import { JsonlEngine } from "../../engine/jsonl/jsonl-engine.ts";
import { unavailable } from "../../errors.ts";
import { loadSessionStore, type SessionEntry, syncSessionIndex } from "../../state/session-index/index.ts";
import { openStore } from "../../store/open.ts";
import { systemRandom } from "../../util/uuid.ts";
import { AgentLoop } from "./agent-loop.ts";
import { recordSession } from "./record-session.ts";

const KEY = "cli:default";
let agentDir: string;

beforeEach(() => {
  agentDir = mkdtempSync(join(tmpdir(), "colloquy-record-"));
});

afterEach(() => {
  rmSync(agentDir, { recursive: true });
});

function entry(): SessionEntry | undefined {
  return loadSessionStore({ agentDir })[KEY];
}

it("adds what later answers used, once, however often it is recorded", async () => {
  await using store = await openStore("ephemeral:");
  const loop = new AgentLoop({ store, key: KEY, model: scriptedModel([["One."], ["Two."], ["Three."]]) });
  const chat = await loop.conversation();
  await loop.run("first");
  await recordSession({ agentDir }, KEY, chat, { channel: "cli" });
  expect(entry()).toMatchObject({
    inputTokens: 10,
    totalTokens: 18,
    cost: 0.5,
    model: "scripted",
    channel: "cli",
  });
  await recordSession({ agentDir }, KEY, chat);
  expect(entry()?.totalTokens).toBe(18);
  await loop.run("second");
  await Promise.all([1, 2, 3].map(() => recordSession({ agentDir }, KEY, chat)));
  expect(entry()).toMatchObject({ inputTokens: 20, totalTokens: 36, cost: 1, totalTokensFresh: true });
  // As the store has it, so that a check finds nothing out of date.
  expect(await syncSessionIndex(store, agentDir)).toMatchObject({ added: 0, corrected: 0, removed: 0 });
  const fresh = await store.startOver(KEY);
  await loop.run("third");
  await recordSession({ agentDir }, KEY, fresh);
  expect(entry()).toMatchObject({ sessionId: fresh.id, totalTokens: 18, cost: 0.5 });
});

it("counts again if the message was removed up to which it had counted", async () => {
  await using store = await openStore("ephemeral:");
  const loop = new AgentLoop({ store, key: KEY, model: scriptedModel([["One."], ["Two."]]) });
  const chat = await loop.conversation();
  await loop.run("first");
  await chat.branch(null, { name: "side" });
  await chat.checkout("side");
  await loop.run("second");
  await recordSession({ agentDir }, KEY, chat);
  expect(entry()?.totalTokens).toBe(36);
  await chat.checkout("main");
  await chat.pruneBranches({ names: ["side"] });
  await recordSession({ agentDir }, KEY, chat);
  expect(entry()?.totalTokens).toBe(18);
});

it("notes a session whose only run failed", async () => {
  await using store = await openStore("ephemeral:");
  const model = scriptedModel([[unavailable("The provider is overloaded")]]);
  const loop = new AgentLoop({ store, key: KEY, model });
  await expect(loop.run("Hi")).rejects.toThrow("overloaded");
  const chat = await loop.conversation();
  await recordSession({ agentDir }, KEY, chat);
  expect(entry()).toMatchObject({ sessionId: chat.id, totalTokens: 0 });
  expect(await syncSessionIndex(store, agentDir)).toMatchObject({ added: 0, corrected: 0, removed: 0 });
});

/** Counts the bytes that are read. */
class ReadingDisk extends SimulatedDisk {
  bytes = 0;

  override read(file: number, into: Uint8Array, position: number): number {
    const count = super.read(file, into, position);
    this.bytes += count;
    return count;
  }
}

/** How much one more run and its record read, in a process that is new, or has answered before. */
async function readByRun(messages: number, isNew: boolean): Promise<number> {
  const disk = new ReadingDisk(new Dice(1));
  const open = async () =>
    openStore(
      await JsonlEngine.open(
        "/store",
        { readonly: false, durability: "full", lockWaitMs: 1000, onProblem: () => {} },
        { io: disk, clock: Date.now, random: systemRandom },
      ),
    );
  const model = { ...scriptedModel(() => ["Fine."]), contextWindow: 4000 };
  const said = Array.from({ length: messages }, (_, n) => ({
    role: n % 2 === 0 ? ("user" as const) : ("assistant" as const),
    content: `message ${n} ${"x".repeat(80)}`,
  }));
  let store = await open();
  await (await store.open(KEY)).append(said);
  const another = async (operationId?: string): Promise<void> => {
    const loop = new AgentLoop({ store, key: KEY, model, compactAt: false });
    await loop.run("And?", operationId === undefined ? {} : { operationId });
    await recordSession({ agentDir }, KEY, await loop.conversation());
  };
  await another("warm");
  if (isNew) {
    await store.close();
    store = await open();
  }
  disk.bytes = 0;
  await another(isNew ? undefined : "given");
  await store.close();
  return disk.bytes;
}

it.each([true, false])("does not read more of a longer conversation (new process: %s)", async (isNew) => {
  const short = await readByRun(1000, isNew);
  rmSync(join(agentDir, "sessions"), { recursive: true, force: true });
  const long = await readByRun(4000, isNew);
  expect(Math.abs(long - short)).toBeLessThan(10_000);
});
