import { mkdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { piHeader, piSays } from "../../../test/formats/pi-session.ts";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { until } from "../../../test/support/until.ts";
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

it("a watching import finds a place that is made later, and made again", async () => {
  const folder = tempFolder();
  const [tool, other] = [join(folder, "tool"), join(folder, "other")];
  mkdirSync(other);
  await using store = await openStore("ephemeral:");
  const stop = new AbortController();
  const passes: number[] = [];
  const watching = watchConversations(store, [tool, other], {
    signal: stop.signal,
    intervalMs: 10,
    onPass: ({ messages }) => void passes.push(messages),
  });
  for (const [index, place] of [tool, other, tool].entries()) {
    await until(() => passes.length === index + 1);
    rmSync(place, { recursive: true, force: true });
    mkdirSync(place);
    writeFileSync(join(place, `${index}.jsonl`), piHeader(`${index}`) + piSays(`m${index}`, null, "Hello"));
    utimesSync(join(place, `${index}.jsonl`), 0, 0);
  }
  await until(() => passes.length === 4);
  stop.abort();
  await watching;
  expect(passes).toEqual([0, 1, 1, 1]);
});
