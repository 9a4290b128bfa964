/** What the APIs of all vendors share. */
import type { ServerResponse } from "node:http";
import type { JsonObject } from "../../../src/util/json.ts";
import { listIn, objectIn, textIn } from "../../../src/util/values.ts";

let serial = 0;

export function newId(prefix: string): string {
  return `${prefix}${Date.now().toString(36)}${(++serial).toString(36).padStart(4, "0")}`;
}

export type Send = (event: string | undefined, data: JsonObject) => void;

/** A stream of server-sent events. */
export function streamOf(response: ServerResponse): Send {
  response.writeHead(200, { "content-type": "text/event-stream", "request-id": newId("req_") });
  return (event, data) => {
    response.write(`${event === undefined ? "" : `event: ${event}\n`}data: ${JSON.stringify(data)}\n\n`);
  };
}

export function sendJson(response: ServerResponse, value: unknown, status = 200): void {
  response.writeHead(status, { "content-type": "application/json", "request-id": newId("req_") });
  response.end(JSON.stringify(value));
}

/** The text of a content: a string, or parts. */
export function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  return listIn(content as never)
    .map((part) => textIn(objectIn(part)?.text) ?? "")
    .join("\n");
}

export function tokensIn(value: unknown): number {
  return Math.ceil(JSON.stringify(value).length / 4);
}
