/** Appends all the time, and says at the end how long the longest append took. With `everything`, it does all else too. */
import { rmSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { type Conversation, openStore, type Store } from "../../src/index.ts";

const [target = "", mode = "", copy = ""] = process.argv.slice(2);
const store = await openStore(target);
let isOver = false;
process.once("message", () => {
  isOver = true;
});
process.send?.("ready");
const [longestMs] = await Promise.all([
  appending(store),
  mode === "everything" ? everything(store) : undefined,
]);
await store.close();
process.send?.(longestMs, () => process.disconnect?.());

async function appending(store: Store): Promise<number> {
  const chat = await store.create();
  let longestMs = 0;
  while (!isOver) {
    const startMs = performance.now();
    await chat.append({ role: "user", content: "x".repeat(500) });
    longestMs = Math.max(longestMs, performance.now() - startMs);
    await sleep(2);
  }
  return longestMs;
}

async function everything(store: Store): Promise<void> {
  const chats: Conversation[] = [];
  for (let round = 0; !isOver; round++) {
    const chat = await store.create({ title: `${round}` });
    chats.push(chat);
    const content = [
      { type: "tool_result", tool_use_id: "t", content: `${round % 7} `.repeat(9000) },
    ] as const;
    const { entries } = await chat.append([
      { role: "user", content },
      { role: "assistant", content: "y" },
    ]);
    for await (const info of store.list()) await store.get(info.id);
    await chat.messages({ last: 50 });
    if (round % 3 === 1) await chat.redact(entries[0]?.id ?? "");
    if (round % 5 === 4) await store.purge(chats.shift()?.id ?? "", { force: true });
    if (round % 20 === 10) {
      await store.backup(`${copy}-${round}`);
      rmSync(`${copy}-${round}`, { recursive: true });
    }
    await sleep(10);
  }
}
