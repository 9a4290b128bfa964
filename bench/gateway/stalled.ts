import { setTimeout as sleep } from "node:timers/promises";
import { DiskImage, obstacle } from "../../test/powercut/image.ts";
import { type BenchRow, sized } from "../harness.ts";
import { below } from "../rows.ts";
import { type BenchPlace, Clients, openBenchPlace } from "./place.ts";

const STALL_MS = sized(5000, 50);
const P99_MS = 100;
const CLIENTS = 16;
/** Long enough for everything that is written a second after a change. */
const BEFORE_MS = sized(1500, 10);

/** Pings while the disk of the state folder does not answer, with requests that write to each file on it. */
export async function stalled(): Promise<BenchRow[]> {
  const reason = obstacle();
  if (reason !== undefined) {
    console.log(`     pings while a disk is stalled: not measured, because ${reason}`);
    return [];
  }
  using disk = new DiskImage();
  await using place = await openBenchPlace(disk.mount, { logs: true });
  const chat = await place.store.create({ key: "web:bench" });
  const { refreshToken } = await signIn(place);
  const clients = new Clients("ping", place.url, place.token, "", CLIENTS);
  await clients.next();
  await sleep(BEFORE_MS);
  // Written a second later, when the disk does not answer.
  await chat.append({ role: "user", content: "before" });
  await signIn(place);
  const answered = await disk.stall(STALL_MS);
  const writes = [
    signIn(place),
    post(place, "/auth/refresh", { refreshToken }),
    post(place, "/auth/token", { token: "wrong" }),
    post(place, "/api/v1/tokens", { name: "another", permission: "read" }),
    fetch(`${place.url}/api/v1/status`, { headers: { authorization: "Bearer wrong" } }),
  ];
  await sleep(STALL_MS / 2);
  // Not before: the thread of the store would wait, and what is written from its answers would wait with it.
  let isWritten = false;
  const written = chat.append({ role: "user", content: "x" }).then(() => {
    isWritten = true;
  });
  await sleep(STALL_MS * 0.4);
  if (isWritten) throw new Error("The store was not stalled");
  await answered();
  await written;
  await Promise.all(writes);
  const result = clients.next<{ readonly p99: number }>();
  clients.tell("stop");
  const { p99 } = await result;
  clients.end();
  return [below(`pings while a disk is stalled for ${STALL_MS / 1000} s, 99 of 100`, p99, P99_MS, "ms")];
}

async function signIn(place: BenchPlace): Promise<{ readonly refreshToken: string }> {
  const answer = await post(place, "/auth/token", { token: place.token });
  return (await answer.json()) as { readonly refreshToken: string };
}

function post({ url, token }: BenchPlace, path: string, body: object): Promise<Response> {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  return fetch(`${url}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
}
