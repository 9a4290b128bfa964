/** Stores that cannot write: the user sees a plain sentence, and the log stays whole. */
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { AgentLoop } from "../../src/agent/index.ts";
import { openStore } from "../../src/index.ts";
import { ENGINES, has, lacks } from "../process/child-process.ts";
import { scriptedModel } from "../support/models/scripted-model.ts";
import { tempFolder } from "../support/temp-folder.ts";

const CHILD = fileURLToPath(new URL("./full-child.ts", import.meta.url));

describe.each(ENGINES)("an agent on a %s store", (engine) => {
  it("does not ask the model if the store is read-only", async () => {
    const target = `${engine}:${join(tempFolder(), "store")}`;
    await using writable = await openStore(target);
    await (await writable.open("cli:default")).append({ role: "user", content: "before" });
    await using store = await openStore(target, { readonly: true });
    const model = scriptedModel([["Never."]]);
    const conversation = await store.get("cli:default");
    const loop = new AgentLoop({ store, ...(conversation && { conversation }), model });
    await expect(loop.run("Hi")).rejects.toThrow("The store was opened for reading only");
    expect(model.requests).toEqual([]);
  });

  it.skipIf(lacks(has("prlimit"), "a limit on the size of files needs prlimit"))(
    "fails when a result cannot be stored, and does not run the tool again when there is room",
    () => {
      const target = `${engine}:${join(tempFolder(), "store")}`;
      const output = execFileSync(process.execPath, [CHILD, target], { encoding: "utf8" });
      const { failed, ...rest } = JSON.parse(output);
      expect(failed).toMatchObject({ code: "SERVICE_UNAVAILABLE", message: expect.stringContaining("writ") });
      expect(rest).toEqual({
        reply: "Answered.",
        runs: 1,
        roles: ["user", "assistant", "user", "assistant"],
        repaired: [],
        findings: [],
      });
    },
  );
});

it("an agent whose store is locked says so, and answers when it is free", async () => {
  const file = join(tempFolder(), "agent.db");
  await using store = await openStore(`sqlite:${file}`, { lockWaitMs: 20 });
  const model = scriptedModel([["Now."]]);
  const loop = new AgentLoop({ store, key: "cli:default", model });
  await loop.conversation();
  const other = new DatabaseSync(file);
  other.exec("BEGIN IMMEDIATE");
  await expect(loop.run("Hi", { operationId: "m1" })).rejects.toMatchObject({ code: "SERVICE_UNAVAILABLE" });
  other.exec("ROLLBACK");
  other.close();
  expect((await loop.run("Hi", { operationId: "m1" })).reply).toBe("Now.");
});

it("an answer of 10 MB is kept whole, and a longer one is cut off with a plain sentence", async () => {
  const piece = "x".repeat(500_000);
  const model = scriptedModel((_, index) => Array.from({ length: index === 0 ? 20 : 30 }, () => piece));
  await using loop = new AgentLoop({ model });
  expect((await loop.run("Much")).reply.length).toBe(10_000_000);
  await expect(loop.run("More")).rejects.toThrow("A streamed answer can have at most 10485760 characters");
  const { items } = await (await loop.conversation()).messages();
  expect(items.map(({ message }) => message.endState)).toEqual([
    undefined,
    "finished",
    undefined,
    "interrupted",
  ]);
});
