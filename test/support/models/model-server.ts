/**
 * A model server on this machine that says what a test wrote down, in the
 * streaming protocols of Anthropic, OpenAI (both) and Google.
 *
 *     await using server = await modelServer([
 *       [{ text: "Let me look. " }, { tool: "search", input: { text: "tea" } }],
 *       [{ text: "You " }, { text: "like green tea." }],
 *       { status: 429, headers: { "retry-after": "7" } },
 *     ]);
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { JsonObject } from "../../../src/util/json.ts";
import { anthropicProtocol } from "./protocols/anthropic.ts";
import { chatCompletionsProtocol } from "./protocols/chat-completions.ts";
import { googleProtocol } from "./protocols/google.ts";
import { responsesProtocol } from "./protocols/responses.ts";
import type { Encoder, Piece, Protocol, Refused, Step, Streamed } from "./protocols/script.ts";

export type { Step } from "./protocols/script.ts";

interface ModelServerRequest {
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: JsonObject;
}

/** The answers in order, or a function of the request (and of how many there were before it). */
export type Script = readonly Step[] | ((request: ModelServerRequest, index: number) => Step);

export interface ModelServer extends AsyncDisposable {
  readonly origin: string;
  /** The base URLs of providers, as `models.json` has them. */
  readonly baseUrls: { readonly anthropic: string; readonly openai: string; readonly google: string };
  /** All that arrived, oldest first. */
  readonly requests: readonly ModelServerRequest[];
  /** How many were opened. */
  readonly connections: number;
  close(): Promise<void>;
}

const PROTOCOLS = [anthropicProtocol, chatCompletionsProtocol, responsesProtocol, googleProtocol];
const PIECE_OF_A_LARGE_TEXT = 64 * 1024;

/**
 * Each request opens a connection, because one that fails on a connection that was used before is sent again,
 * and a test could not tell how many steps of its script that takes. `keepAlive` is for tests of just that.
 */
export async function modelServer(
  script: Script,
  { keepAlive = false }: { readonly keepAlive?: boolean } = {},
): Promise<ModelServer> {
  const requests: ModelServerRequest[] = [];
  const server = createServer(async (incoming, response) => {
    response.shouldKeepAlive = keepAlive;
    const request = await readRequest(incoming);
    const index = requests.length;
    requests.push(request);
    const step = typeof script === "function" ? script(request, index) : script[index];
    await answer(request, response, step ?? { status: 500, message: "The script has no more steps" }, index);
  });
  let connections = 0;
  server.on("connection", () => {
    connections += 1;
  });
  server.listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  const baseUrls = { anthropic: origin, openai: `${origin}/v1`, google: `${origin}/v1beta` };
  return {
    origin,
    baseUrls,
    requests,
    get connections() {
      return connections;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

async function readRequest(incoming: IncomingMessage): Promise<ModelServerRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming as AsyncIterable<Buffer>) chunks.push(chunk);
  const body = JSON.parse(Buffer.concat(chunks).toString("utf8") || "{}");
  return { path: incoming.url ?? "", headers: incoming.headers, body };
}

async function answer(
  { path, body }: ModelServerRequest,
  response: ServerResponse,
  step: Step,
  index: number,
): Promise<void> {
  if (step === "hang") return;
  if (step === "cut") return void response.destroy();
  const { pathname } = new URL(path, "http://server");
  const protocol = PROTOCOLS.find((one) => one.path.test(pathname));
  if (protocol === undefined) return refuse(response, { status: 404, message: `No ${pathname}` });
  if ("status" in step) return refuse(response, step, protocol);
  const model = String(body.model ?? /models\/([^:]+):/.exec(pathname)?.[1] ?? "");
  const streamed: Streamed = "say" in step ? step : { say: step };
  const usage = { input: 10, output: 5, cacheRead: 0, cacheWrite: 0, ...streamed.usage };
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  const send = (data: JsonObject | string, event?: string): void => {
    const text = typeof data === "string" ? data : JSON.stringify(data);
    response.write(`${event === undefined ? "" : `event: ${event}\n`}data: ${text}\n\n`);
  };
  await play(protocol.encoder({ model, id: String(index), usage, send }), streamed, response, index);
}

function refuse(response: ServerResponse, step: Refused, protocol: Protocol = anthropicProtocol): void {
  const { status, message = `Status ${status}`, headers } = step;
  const body = step.body ?? JSON.stringify(protocol.refusal(status, message));
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(body);
}

async function play(
  encoder: Encoder,
  { say, stop, lingerMs = 0 }: Streamed,
  response: ServerResponse,
  index: number,
): Promise<void> {
  encoder.begin();
  for (const [place, piece] of say.entries()) {
    if (response.destroyed) return;
    if ("fault" in piece) {
      // What was written before must arrive: a real server breaks in the middle of an answer, not before it.
      if (piece.fault === "cut") response.write("", () => setImmediate(() => response.destroy()));
      if (piece.fault === "end") response.end();
      return;
    }
    await perform(encoder, piece, response, `call_${index}_${place}`);
  }
  encoder.end(stop ?? (say.some((piece) => "tool" in piece) ? "tools" : "end"));
  if (lingerMs > 0) await sleep(lingerMs);
  response.end();
}

async function perform(encoder: Encoder, piece: Piece, response: ServerResponse, id: string): Promise<void> {
  if ("delayMs" in piece) await sleep(piece.delayMs);
  if ("until" in piece) await piece.until;
  if ("text" in piece) encoder.text(piece.text);
  if ("thinking" in piece) encoder.thinking(piece.thinking, piece.signature);
  if ("redacted" in piece) encoder.redacted(piece.redacted);
  if ("tool" in piece) {
    const { input = {} } = piece;
    encoder.tool(piece.id ?? id, piece.tool, typeof input === "string" ? input : JSON.stringify(input));
  }
  if ("raw" in piece) response.write(piece.raw);
  if ("error" in piece) encoder.error(piece.error);
  if ("bytes" in piece) await large(encoder, piece.bytes, response);
}

async function large(encoder: Encoder, bytes: number, response: ServerResponse): Promise<void> {
  const closed = once(response, "close");
  for (let left = bytes; left > 0 && !response.destroyed; left -= PIECE_OF_A_LARGE_TEXT) {
    encoder.text("x".repeat(Math.min(left, PIECE_OF_A_LARGE_TEXT)));
    if (response.writableNeedDrain) {
      await Promise.race([once(response, "drain"), closed]);
    }
  }
}

function once(response: ServerResponse, event: string): Promise<void> {
  return new Promise((resolve) => response.once(event, () => resolve()));
}
