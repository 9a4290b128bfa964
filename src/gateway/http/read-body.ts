/** The body of a request: bounded before it is read, and checked before it is used. */
import type { IncomingMessage } from "node:http";
import { invalid } from "../../errors.ts";
import { checkJson } from "./check-json.ts";
import { HttpError } from "./http-error.ts";

export interface BodyLimits {
  /** In bytes. */
  readonly max: number;
  /** In milliseconds. Default: that of every request, which is long. */
  readonly waitMs?: number | undefined;
}

/** JSON as it was sent: at most so many bytes, not too deep, without names that change what an object is. */
export async function readJson(message: IncomingMessage, { max, waitMs }: BodyLimits): Promise<unknown> {
  checkEncoding(message);
  const type = (message.headers["content-type"] ?? "").split(";", 1)[0]?.trim().toLowerCase();
  if (type !== "application/json") {
    throw new HttpError(
      415,
      "VALIDATION_ERROR",
      "The body must be JSON, with Content-Type: application/json",
    );
  }
  const read = wholeBody(message, max);
  const value = parse(waitMs === undefined ? await read : await within(read, waitMs));
  checkJson(value, "body");
  return value;
}

async function wholeBody(message: IncomingMessage, max: number): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of readBytes(message, max)) pieces.push(piece);
  return Buffer.concat(pieces);
}

async function within<T>(work: Promise<T>, waitMs: number): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    const headers = { connection: "close" };
    reject(new HttpError(408, "VALIDATION_ERROR", "The body did not arrive in time", { headers }));
  }, waitMs);
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
    // It fails later, when the connection is closed.
    work.catch(() => {});
  }
}

/** The bytes as they arrive. Fails once there are more than `max`. */
export async function* readBytes(message: IncomingMessage, max: number): AsyncGenerator<Uint8Array> {
  checkEncoding(message);
  if (Number(message.headers["content-length"] ?? 0) > max) throw tooLarge(max);
  let size = 0;
  // The connection must stay open for the answer.
  for await (const piece of message.iterator({ destroyOnReturn: false })) {
    size += (piece as Buffer).length;
    if (size > max) throw tooLarge(max);
    yield piece as Buffer;
  }
}

function checkEncoding({ headers }: IncomingMessage): void {
  const encoding = headers["content-encoding"];
  if (encoding === undefined || encoding === "identity") return;
  throw new HttpError(415, "VALIDATION_ERROR", "The body must not be compressed");
}

function tooLarge(max: number): HttpError {
  // The rest of the body is not read.
  const headers = { connection: "close" };
  return new HttpError(413, "VALIDATION_ERROR", `The body is larger than ${max} bytes`, { headers });
}

function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    throw invalid("The body is not valid JSON in UTF-8", "body");
  }
}
