/** Follows the changes of a store and says for each how late it came, in milliseconds. */
import { openStore } from "../../src/index.ts";

const [target = ""] = process.argv.slice(2);
const store = await openStore(target);
process.send?.("ready");
for await (const { entry } of store.changes()) {
  const sent = Number(entry?.message?.content);
  if (sent > 0) process.send?.(performance.timeOrigin + performance.now() - sent);
}
