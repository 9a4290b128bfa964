/** A model on loopback that says what the prompt tells it to. Usage: node test/real/model/server.ts [PORT] */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { JsonObject } from "../../../src/util/json.ts";
import { objectIn, parsedIn } from "../../../src/util/values.ts";
import { messages } from "./anthropic.ts";
import { chat } from "./chat.ts";
import { generate } from "./google.ts";
import { responses } from "./responses.ts";
import { sendJson, tokensIn } from "./wire.ts";

const port = Number(process.argv[2] ?? 8901);

async function bodyOf(request: IncomingMessage): Promise<JsonObject> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part);
  return objectIn(parsedIn(Buffer.concat(parts).toString())) ?? {};
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname } = new URL(request.url ?? "/", "http://localhost");
  const body = await bodyOf(request);
  const model = /models\/([^:]+):/.exec(pathname)?.[1] ?? "";
  if (/count_tokens$/.test(pathname)) sendJson(response, { input_tokens: tokensIn(body) });
  else if (/:countTokens$/.test(pathname)) sendJson(response, { totalTokens: tokensIn(body) });
  else if (/\/messages$/.test(pathname)) messages(body, response);
  else if (/\/chat\/completions$/.test(pathname)) chat(body, response);
  else if (/\/responses$/.test(pathname)) responses(body, response);
  else if (/:generateContent$/i.test(pathname)) generate(body, response, model, false);
  else if (/:streamGenerateContent$/i.test(pathname)) generate(body, response, model, true);
  else if (/\/models$/.test(pathname)) sendJson(response, { object: "list", data: [], models: [] });
  else sendJson(response, { error: { type: "not_found_error", message: `no ${pathname}` } }, 404);
}

createServer((request, response) => {
  answer(request, response).catch((error: unknown) => {
    console.error(error);
    response.destroy();
  });
}).listen(port, "127.0.0.1", () => console.log(`listening on 127.0.0.1:${port}`));
