/** Follows the changes of a store and says for each how late it came, in milliseconds. */
import { setTimeout as sleep } from "node:timers/promises";
import { openStore } from "../../src/index.ts";

const [target = ""] = process.argv.slice(2);
const store = await openStore(target);
const feed = store.changes();
const first = feed.next();
// The feed begins now, and not with the first change that the parent makes.
await sleep(100);
process.send?.("ready");
for (let next = await first; !next.done; next = await feed.next()) {
  const sent = Number(next.value.entry?.message?.content);
  if (sent > 0) process.send?.(performance.timeOrigin + performance.now() - sent);
}
