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
for (
  let page = await chat.messages({ limit: 1000 });
  ;
  page = await chat.messages({ limit: 1000, cursor: page.cursor as string })
) {
  for (const { message } of page.items) bytes += String(message?.content).length;
  peak = Math.max(peak, process.memoryUsage.rss());
  if (page.cursor === null) break;
}
console.log(
  JSON.stringify({ extraBytes: peak - before, seconds: (performance.now() - start) / 1000, bytes }),
);
