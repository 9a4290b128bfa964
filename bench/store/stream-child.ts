/** Reads a conversation page by page and prints how much memory that took above an empty run. */
import { openStore } from "../../src/index.ts";

const [target, id] = process.argv.slice(2) as [string, string];
await using store = await openStore(target, { readonly: true });
const chat = await store.get(id);
if (chat === undefined) throw new Error("There is nothing to read");
await chat.messages({ limit: 10 });
const before = process.memoryUsage.rss();
const start = performance.now();
let peak = before;
let bytes = 0;
let count = 0;
for await (const { message } of chat.messages({ limit: 1000 })) {
  bytes += String(message.content).length;
  if (count++ % 1000 === 0) peak = Math.max(peak, process.memoryUsage.rss());
}
console.log(
  JSON.stringify({ extraBytes: peak - before, seconds: (performance.now() - start) / 1000, bytes }),
);
