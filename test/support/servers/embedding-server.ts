import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

interface SeenRequest {
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly texts: readonly string[];
  readonly body: Readonly<Record<string, unknown>>;
}

export type Answer = (request: SeenRequest, response: ServerResponse, count: number) => void | Promise<void>;

export interface EmbeddingServer {
  readonly url: string;
  readonly requests: SeenRequest[];
}

/** A real embedding server on this machine, for one test. By default it answers as OpenAI does. */
export async function embeddingServer(
  answer: Answer = openAiAnswer(),
  socketPath?: string,
): Promise<EmbeddingServer> {
  const requests: SeenRequest[] = [];
  const server = createServer(async (incoming, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming as AsyncIterable<Buffer>) chunks.push(chunk);
    const body = JSON.parse(Buffer.concat(chunks).toString("utf8") || "{}");
    const seen = { path: incoming.url ?? "", headers: incoming.headers, texts: textsIn(body), body };
    requests.push(seen);
    await answer(seen, response, requests.length);
  });
  if (socketPath === undefined) server.listen(0, "127.0.0.1");
  else server.listen(socketPath);
  await new Promise((resolve) => server.once("listening", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = (server.address() ?? {}) as AddressInfo;
  return { url: `http://127.0.0.1:${port}/v1`, requests };
}

function textsIn(body: { input?: string[]; requests?: { content: Content }[]; content?: Content }): string[] {
  if (body.input !== undefined) return [body.input].flat();
  return [
    ...(body.requests ?? []).map(({ content }) => content),
    ...(body.content ? [body.content] : []),
  ].map(({ parts }) => parts[0]?.text ?? "");
}

interface Content {
  readonly parts: readonly { readonly text: string }[];
}

/** A vector that depends on the text: equal texts have equal ones. */
export function fakeVector(text: string, dimensions: number): number[] {
  let seed = 2166136261;
  for (const letter of text) seed = Math.imul(seed ^ (letter.codePointAt(0) ?? 0), 16777619) >>> 0;
  return Array.from({ length: dimensions }, (_, index) => Math.sin(seed + index * 7) + 0.01);
}

export function json(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(typeof body === "string" ? body : JSON.stringify(body));
}

export function openAiAnswer(dimensions = 8): Answer {
  return ({ texts }, response) => {
    const data = texts.map((text, index) => ({ index, embedding: fakeVector(text, dimensions) }));
    json(response, 200, { data, usage: { prompt_tokens: 1 } });
  };
}
