import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { type BenchRow, sized } from "../harness.ts";
import { below } from "../rows.ts";
import { Clients, openBenchPlace } from "./place.ts";

const STALL_MS = sized(5000, 50);
const P99_MS = 100;

/** Pings while the thread of the store hangs in a commit, as it does when a disk does not answer. */
export async function stalled(folder: string): Promise<BenchRow[]> {
  await using place = await openBenchPlace(folder);
  const chat = await place.store.create();
  const clients = new Clients("ping", place.url, place.token);
  await clients.next();
  const blocker = new DatabaseSync(place.path);
  blocker.exec("BEGIN IMMEDIATE");
  let isWritten = false;
  const written = chat.append({ role: "user", content: "x" }).then(() => {
    isWritten = true;
  });
  await sleep(STALL_MS);
  if (isWritten) throw new Error("The store was not stalled");
  blocker.exec("ROLLBACK");
  blocker.close();
  await written;
  const result = clients.next<{ readonly p99: number }>();
  clients.tell("stop");
  const { p99 } = await result;
  clients.end();
  return [below(`pings while the store is stalled for ${STALL_MS / 1000} s, 99 of 100`, p99, P99_MS, "ms")];
}
