import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { piHeader, piSays } from "../../../test/formats/pi-session.ts";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { openStore } from "../../store/open.ts";
import { ledgerOf } from "./ledger/ledger-place.ts";
import { importConversations } from "./run.ts";
import { watchConversations } from "./watch.ts";

it("a watching import reports its first pass, also when another import prevented earlier ones", async () => {
  const folder = tempFolder();
  const sources = join(folder, "sources");
  mkdirSync(sources);
  writeFileSync(join(sources, "a.jsonl"), piHeader("a") + piSays("a1", null, "One"));
  const target = `sqlite:${join(folder, "store.db")}`;
  await using store = await openStore(target);
  await importConversations(store, [sources]);
  await using other = await openStore(target);
  const running = ledgerOf(other);
  const stop = new AbortController();
  const unchanged: number[] = [];
  const watching = watchConversations(store, [sources], {
    signal: stop.signal,
    intervalMs: 10,
    onPass: (report) => {
      unchanged.push(report.unchanged);
      stop.abort();
    },
  });
  // The first pass finds the ledger in use.
  setTimeout(() => running.close(), 100);
  await watching;
  expect(unchanged).toEqual([1]);
});
