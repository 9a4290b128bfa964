import { connectGateway } from "../../src/gateway/client/index.ts";
import { modelServer } from "../../test/support/models/model-server.ts";
import { type BenchRow, sized } from "../harness.ts";
import { below } from "../rows.ts";
import { Clients, openBenchPlace } from "./place.ts";

const CLIENTS = sized(1000, 10);
const TOKENS = sized(200, 5);
const TOKEN_MS = 10;
const MEDIAN_MS = 50;
const P99_MS = 250;
const MEMORY_MB = 512;
const MB = 1024 * 1024;

interface Ages {
  readonly median: number;
  readonly p99: number;
  readonly count: number;
}

/** From the moment at which a provider sends a token to its arrival at each of a thousand clients. */
export async function fanOut(folder: string): Promise<BenchRow[]> {
  const token = {
    delayMs: TOKEN_MS,
    // Read when it is sent.
    get text() {
      return `t${process.hrtime.bigint()} `;
    },
  };
  await using server = await modelServer([Array.from({ length: TOKENS }, () => token)]);
  const local = { baseUrl: server.baseUrls.openai, api: "openai-completions", models: [{ id: "small" }] };
  await using place = await openBenchPlace(folder, {
    config: { models: { default: "local/small", providers: { local } } },
  });
  const chat = await place.store.open("web:bench");
  const clients = new Clients("watch", place.url, place.token, chat.id, CLIENTS);
  await clients.next();
  const client = connectGateway({ url: place.url, token: place.token });
  const ages = clients.next<Ages>();
  await client.request("chat.send", { conversation: chat.id, text: "Hello", idempotencyKey: "1" });
  let memory = 0;
  const watch = setInterval(() => {
    memory = Math.max(memory, process.memoryUsage().rss / MB);
  }, 50);
  const { median, p99, count } = await ages;
  clearInterval(watch);
  client.close();
  clients.end();
  if (count !== CLIENTS * TOKENS) throw new Error(`${count} of ${CLIENTS * TOKENS} tokens arrived`);
  const work = `a streamed answer at ${CLIENTS} clients`;
  return [
    below(`${work}, median age of a token`, median, MEDIAN_MS, "ms"),
    below("… 99 of 100", p99, P99_MS, "ms"),
    below("… memory of the gateway", memory, MEMORY_MB, "MB", 0),
  ];
}
