import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { DiskImage, obstacle } from "../../test/powercut/image.ts";
import { type BenchRow, sized } from "../harness.ts";
import { below } from "../rows.ts";
import { Clients, openBenchPlace } from "./place.ts";

const STALL_MS = sized(5000, 50);
const P99_MS = 100;
const CLIENTS = 16;

/** Pings while the disk of the store does not answer. */
export async function stalled(folder: string): Promise<BenchRow[]> {
  const reason = obstacle();
  if (reason !== undefined) {
    console.log(`     pings while a disk is stalled: not measured, because ${reason}`);
    return [];
  }
  using disk = new DiskImage();
  await using place = await openBenchPlace(folder, { path: join(disk.mount, "store.db") });
  const chat = await place.store.create();
  const clients = new Clients("ping", place.url, place.token, "", CLIENTS);
  await clients.next();
  const answered = await disk.stall(STALL_MS);
  let isWritten = false;
  const written = chat.append({ role: "user", content: "x" }).then(() => {
    isWritten = true;
  });
  await sleep(STALL_MS * 0.9);
  if (isWritten) throw new Error("The store was not stalled");
  await answered();
  await written;
  const result = clients.next<{ readonly p99: number }>();
  clients.tell("stop");
  const { p99 } = await result;
  clients.end();
  return [below(`pings while a disk is stalled for ${STALL_MS / 1000} s, 99 of 100`, p99, P99_MS, "ms")];
}
