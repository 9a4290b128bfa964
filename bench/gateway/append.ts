import { alternate, type BenchRow, sized } from "../harness.ts";
import { atLeast } from "../rows.ts";
import { Clients, openBenchPlace } from "./place.ts";

const CLIENTS = sized(64, 4);
const EACH = sized(40, 1);

/** Durable appends of 64 clients, beside 64 callers in the same process. */
export async function append(folder: string): Promise<BenchRow[]> {
  await using place = await openBenchPlace(folder);
  const chat = await place.store.create();
  const clients = new Clients("append", place.url, place.token, chat.id, CLIENTS, EACH);
  await clients.next();
  const message = { role: "user", content: "x".repeat(1000) } as const;
  const times = await alternate({
    ours: async () => {
      const done = clients.next<number>();
      clients.tell("go");
      return done;
    },
    bare: async () => {
      const start = performance.now();
      await Promise.all(
        Array.from({ length: CLIENTS }, async () => {
          for (let n = 0; n < EACH; n++) await chat.append(message);
        }),
      );
      return ((performance.now() - start) * 1000) / (CLIENTS * EACH);
    },
  });
  clients.end();
  return [atLeast(`durable append of ${CLIENTS} clients over WebSocket`, times.ours, times.bare, 0.6)];
}
