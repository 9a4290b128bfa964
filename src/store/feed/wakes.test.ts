import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { EphemeralEngine } from "../../engine/ephemeral/ephemeral-engine.ts";
import { openStore } from "../open.ts";
import { Wakes } from "./wakes.ts";

const hello = { role: "user", content: "hello" } as const;
const STORE = new URL("../open.ts", import.meta.url).href;

function targetOf(engine: string): string {
  return `${engine}:${join(tempFolder(), "store")}`;
}

/** Runs in another process, with `store` and `chat`. */
function elsewhere(target: string, work: string): void {
  const script = `const { openStore } = await import("${STORE}");
    const store = await openStore("${target}");
    const chat = await store.open("web:1");
    ${work}`;
  const args = ["--input-type=module", "--eval", script];
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
  expect([status, stderr]).toEqual([0, ""]);
}

afterEach(() => {
  vi.useRealTimers();
});

/** Without it, the poll would find everything too. */
function stopPolling(): void {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
}

describe("those that wait for a change", () => {
  it.each(["ephemeral", "sqlite", "jsonl"])("are woken by a commit of their store: %s", async (engine) => {
    await using store = await openStore(engine === "ephemeral" ? "ephemeral:" : targetOf(engine));
    const chat = await store.create();
    stopPolling();
    const change = store.changes().next();
    const text = chat.follow({ wait: true }).next();
    await new Promise(setImmediate);
    const turn = await chat.beginTurn();
    await chat.append(hello);
    expect((await change).value).toMatchObject({ entry: { message: hello } });
    vi.useRealTimers();
    await turn.delta("streamed");
    expect((await text).value).toMatchObject({ text: "streamed" });
  });

  it.each(["sqlite", "jsonl"])("are woken by the write of another process: %s", async (engine) => {
    const target = targetOf(engine);
    await using store = await openStore(target);
    await store.open("web:1");
    const wakes = new Wakes(store.path);
    using listener = wakes.listen();
    stopPolling();
    const woken = listener.pause();
    elsewhere(target, `await chat.append({ role: "user", content: "hello" });`);
    await woken;
  });

  it("look rarely when nothing happens", async () => {
    let looks = 0;
    class Counting extends EphemeralEngine {
      override changes(
        ...args: Parameters<EphemeralEngine["changes"]>
      ): ReturnType<EphemeralEngine["changes"]> {
        looks++;
        return super.changes(...args);
      }
    }
    await using store = await openStore(new Counting());
    const stop = AbortSignal.timeout(600);
    await Array.fromAsync(store.changes({ signal: stop }));
    expect(looks).toBeLessThan(14);
  });

  it("end when the store is closed", async () => {
    const store = await openStore(targetOf("sqlite"));
    const change = store.changes().next();
    await new Promise(setImmediate);
    stopPolling();
    await store.close();
    expect(await change).toEqual({ done: true, value: undefined });
  });
});

it.each(["sqlite", "jsonl"])("a feed that was left does not keep the process alive: %s", (engine) => {
  elsewhere(
    targetOf(engine),
    `const feed = store.changes();
     const change = feed.next();
     await chat.append({ role: "user", content: "hello" });
     await change;
     await feed.return();`,
  );
});
