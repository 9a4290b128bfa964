/** Imports one folder in a separate process, as the command does, and prints the time and memory that it took. */
import { lowMemory } from "../../src/cli/terminal/low-memory.ts";
import { importConversations } from "../../src/formats/import/run.ts";
import { openStore } from "../../src/store/open.ts";

const [target = "", folder = ""] = process.argv.slice(2);
const store = await openStore(target, { worker: true });
const settle = lowMemory();
const startedMs = performance.now();
const cpuBefore = process.cpuUsage();
const { messages, conversations, skippedCount, unchanged, bytes } = await importConversations(
  store,
  [folder],
  { onProgress: settle },
);
const ms = performance.now() - startedMs;
const { user, system } = process.cpuUsage(cpuBefore);
const cpuMs = (user + system) / 1000;
await store.close();
const rssBytes = process.resourceUsage().maxRSS * 1024;
console.log(JSON.stringify({ ms, cpuMs, rssBytes, messages, conversations, skippedCount, unchanged, bytes }));
