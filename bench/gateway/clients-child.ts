/** Clients of a gateway: `get`, `append`, `watch` or `ping`. Starts at each word from its parent, and reports. */
import { Agent, get } from "node:http";
import { WebSocket } from "ws";
import { clientFrame, RawSocket } from "./raw-socket.ts";

const [work = "", url = "", token = "", place = "", clients = "1", each = "1"] = process.argv.slice(2);
const count = Number(clients);
const times = Number(each);
const LATENCY_DIGITS = 1e6;

const WORK: Readonly<Record<string, () => Promise<void>>> = {
  get: gets,
  append: appends,
  watch: watches,
  ping: pings,
};

function report(value: unknown): void {
  process.send?.(value);
}

/** Runs `round` at each word, and reports the microseconds of each unit of work. */
function onWord(round: () => Promise<void>): void {
  process.on("message", async () => {
    const start = performance.now();
    await round();
    report(((performance.now() - start) * 1000) / (count * times));
  });
  report("ready");
}

async function gets(): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: count });
  const headers = { authorization: `Bearer ${token}` };
  const one = (): Promise<void> =>
    new Promise((resolve, reject) => {
      get(`${url}${place}`, { agent, headers }, (response) => {
        if (response.statusCode !== 200) reject(new Error(`Status ${response.statusCode}`));
        response.on("data", () => {});
        response.on("end", resolve);
      }).on("error", reject);
    });
  onWord(async () => {
    await Promise.all(
      Array.from({ length: count }, async () => {
        for (let n = 0; n < times; n++) await one();
      }),
    );
  });
}

class Client {
  readonly #socket: WebSocket;
  readonly #answers = new Map<string, () => void>();
  #count = 0;
  onEvent: (text: string) => void = () => {};

  constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on("message", (data) => {
      const text = String(data);
      if (text.startsWith('{"type":"event"')) this.onEvent(text);
      else this.#answers.get(/"id":"(\d+)"/.exec(text)?.[1] ?? "")?.();
    });
  }

  static async open(): Promise<Client> {
    const socket = new WebSocket(`${url.replace("http", "ws")}/ws`);
    await new Promise((resolve, reject) => socket.on("open", resolve).on("error", reject));
    const client = new Client(socket);
    await client.call("auth", { protocol: 1, token });
    return client;
  }

  call(method: string, params: object): Promise<void> {
    const id = String(++this.#count);
    return new Promise((resolve) => {
      this.#answers.set(id, () => {
        this.#answers.delete(id);
        resolve();
      });
      this.#socket.send(JSON.stringify({ type: "req", id, method, params }));
    });
  }
}

/** Not all at once: a gateway allows few connections that have not signed in. */
async function opened<T>(open: () => Promise<T>): Promise<T[]> {
  const all: T[] = [];
  while (all.length < count) {
    const some = Math.min(32, count - all.length);
    all.push(...(await Promise.all(Array.from({ length: some }, open))));
  }
  return all;
}

async function appends(): Promise<void> {
  const frame = (method: string, params: object): Buffer =>
    clientFrame(JSON.stringify({ type: "req", id: "1", method, params }));
  const signIn = frame("auth", { protocol: 1, token });
  const all = await opened(async () => {
    const client = await RawSocket.open(url);
    await client.ask(signIn);
    return client;
  });
  const message = { role: "user", content: "x".repeat(1000) };
  const append = frame("messages.append", { conversation: place, messages: [message] });
  onWord(async () => {
    await Promise.all(
      all.map(async (client) => {
        for (let n = 0; n < times; n++) await client.ask(append);
      }),
    );
  });
}

/** Every token says when it was made. Reports how old each was, for each client, in milliseconds. */
async function watches(): Promise<void> {
  const all = await opened(() => Client.open());
  const ages: number[] = [];
  let left = count;
  for (const client of all) {
    client.onEvent = (text) => {
      const now = process.hrtime.bigint();
      if (text.startsWith('{"type":"event","event":"chat.delta"')) {
        for (const [, made = "0"] of text.matchAll(/t(\d+) /g))
          ages.push(Number(now - BigInt(made)) / LATENCY_DIGITS);
      }
      if (text.startsWith('{"type":"event","event":"chat.done"') && --left === 0) report(percentiles(ages));
    };
    await client.call("subscribe", { topic: `conversation:${place}` });
  }
  report("ready");
}

/** Clients that ask all the time, as often as they may, until they are told to stop. */
async function pings(): Promise<void> {
  const all = await opened(() => Client.open());
  const waits: number[] = [];
  let isOver = false;
  process.on("message", () => {
    isOver = true;
  });
  report("ready");
  await Promise.all(
    all.map(async (client) => {
      while (!isOver) {
        const start = performance.now();
        await client.call("ping", {});
        waits.push(performance.now() - start);
        await new Promise((resolve) => setTimeout(resolve, 110));
      }
    }),
  );
  report(percentiles(waits));
}

function percentiles(values: number[]): { median: number; p99: number; count: number } {
  const sorted = Float64Array.from(values).sort();
  const at = (share: number): number =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return { median: at(0.5), p99: at(0.99), count: sorted.length };
}

await WORK[work]?.();
