/** From the answer of a route to an HTTP response. */
import { RequestError } from "@hono/node-server";
import { invalid } from "../../errors.ts";
import type { Route, RouteAnswer } from "../routes/route.ts";
import { httpError } from "./http-error.ts";
import { DATA_HEADERS } from "./security-headers.ts";

const JSON_TYPE = "application/json";

export function answerOf(answer: RouteAnswer, route: Route): Response {
  const status = answer.status ?? route.status ?? 200;
  const isJson = answer.stream === undefined;
  const type = isJson ? JSON_TYPE : typeof route.answer === "string" ? route.answer : JSON_TYPE;
  const headers = headersOf({ ...DATA_HEADERS, "content-type": type, ...answer.headers });
  if (status === 204 || status === 304) return new Response(null, { status, headers });
  const { text, json, stream } = answer;
  return new Response(isJson ? (text ?? JSON.stringify(json)) : bytesOf(stream), { status, headers });
}

export function failureOf(error: unknown): Response {
  const isMalformed = error instanceof RequestError;
  const { status, headers, body } = httpError(
    isMalformed ? invalid("The request is malformed", "Host") : error,
  );
  const all = { ...DATA_HEADERS, "content-type": JSON_TYPE, ...headers };
  return new Response(JSON.stringify(body), { status, headers: all });
}

/** A plain object where possible: it is much cheaper than `Headers`. */
function headersOf(
  headers: Readonly<Record<string, string | readonly string[]>>,
): Record<string, string> | [string, string][] {
  const isPlain = (value: string | readonly string[]): value is string => typeof value === "string";
  const entries = Object.entries(headers);
  if (entries.every(([, value]) => isPlain(value))) return headers as Record<string, string>;
  return entries.flatMap(([name, value]) =>
    (isPlain(value) ? [value] : value).map((one): [string, string] => [name, one]),
  );
}

function bytesOf(stream: AsyncIterable<Uint8Array | string> | undefined): ReadableStream<Uint8Array> | null {
  if (stream === undefined) return null;
  const encoder = new TextEncoder();
  return ReadableStream.from(encoded(stream, encoder));
}

async function* encoded(
  stream: AsyncIterable<Uint8Array | string>,
  encoder: TextEncoder,
): AsyncGenerator<Uint8Array> {
  for await (const piece of stream) yield typeof piece === "string" ? encoder.encode(piece) : piece;
}
