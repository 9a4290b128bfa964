import { alternate, type BenchRow, sized } from "../harness.ts";
import { atLeast } from "../rows.ts";
import { Clients, openBenchPlace, ProcessorTime, showProcessorTime } from "./place.ts";

const CLIENTS = sized(64, 4);
/** Long enough for the pace of many clients, in which groups form. */
const EACH = sized(200, 1);

/** Durable appends of 64 clients, each of which waits for its answer, beside 64 such callers in the same process. */
export async function append(folder: string): Promise<BenchRow[]> {
  await using place = await openBenchPlace(folder);
  const chat = await place.store.create();
  const clients = new Clients("append", place.url, place.token, chat.id, CLIENTS, EACH);
  await clients.next();
  const message = { role: "user", content: "x".repeat(1000) } as const;
  const count = CLIENTS * EACH;
  const [oursTime, bareTime] = [new ProcessorTime(), new ProcessorTime()];
  const times = await alternate({
    ours: () => oursTime.of(count, () => clients.round()),
    bare: async () => {
      const start = performance.now();
      const caller = async (): Promise<void> => {
        for (let n = 0; n < EACH; n++) await chat.append(message);
      };
      await bareTime.of(count, () => Promise.all(Array.from({ length: CLIENTS }, caller)));
      return ((performance.now() - start) * 1000) / count;
    },
  });
  clients.end();
  const row = atLeast(`durable append of ${CLIENTS} clients over WebSocket`, times.ours, times.bare, 0.6);
  showProcessorTime(oursTime, bareTime);
  return [row];
}
