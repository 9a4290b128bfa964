/**
 * The one way out to a model or an embedding server.
 *
 * Requests go to one origin, which a person has chosen, and to no other: a
 * redirect is an error, and so is an address of the name that no such server
 * has. The connection is made to the address that was checked. Everything
 * outside of this machine is encrypted. Time and size of an answer are limited.
 */
import type { LookupAddress } from "node:dns";
import type { ClientRequest, IncomingMessage, RequestOptions } from "node:http";
import { isIP, type LookupFunction } from "node:net";
import { ColloquyError, invalid } from "../errors.ts";
import { isHere, isLoopback, isSpecial } from "./addresses.ts";
import { bytesText } from "./bytes-text.ts";

export interface GuardOptions {
  /** Where the server is. Only its origin is asked. */
  readonly baseUrl: string;
  /** The Unix socket of a server on this machine, instead of the address in `baseUrl`. */
  readonly socketPath?: string | undefined;
  /** For the whole answer, or until it begins when it is streamed. */
  readonly timeoutMs: number;
  /** Return an answer as soon as it begins, and allow this much silence between its parts. */
  readonly silenceMs?: number | undefined;
  /** The most that an answer may have. */
  readonly bytesMax: number;
  /** Added to each request. They belong to this origin, such as a key. */
  readonly headers?: () => Promise<Readonly<Record<string, string>>>;
}

export type GuardedFetch = (url: string | URL | Request, init?: RequestInit) => Promise<Response>;

/** A `fetch` for one server. Refuses a URL that is neither https nor on this machine with `VALIDATION_ERROR`. */
export function guardedFetch(options: GuardOptions): GuardedFetch {
  const base = checkedUrl(options.baseUrl, options.socketPath !== undefined);
  return async (target, init = {}) => {
    const url = new URL(target instanceof Request ? target.url : target);
    if (url.origin !== base.origin) throw failed(base, `was not asked: ${url.origin} is another server`);
    const headers = { ...Object.fromEntries(new Headers(init.headers)), ...(await options.headers?.()) };
    const { signal: given } = init;
    const limit = new AbortController();
    const timer = setTimeout(() => limit.abort(), options.timeoutMs);
    const signal = given ? AbortSignal.any([given, limit.signal]) : limit.signal;
    try {
      const answer = await send(url, { method: init.method ?? "GET", headers, signal }, init.body, options);
      return await responseOf(answer, base, options, given);
    } catch (error) {
      if (given?.aborted) throw given.reason;
      if (limit.signal.aborted) throw failed(base, `did not answer within ${options.timeoutMs / 1000} s`);
      throw error instanceof ColloquyError ? error : failed(base, `cannot be reached: ${reasonOf(error)}`);
    } finally {
      clearTimeout(timer);
    }
  };
}

/** A URL that keys and texts may be sent to. */
function checkedUrl(text: string, isLocal: boolean): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw invalid("The base URL must begin with https:// or http://", "baseUrl");
  }
  if (url.username !== "" || url.password !== "") {
    throw invalid("The base URL must not contain a user or a password", "baseUrl");
  }
  const host = url.hostname.replace(/^\[|\]$/g, "");
  if (url.protocol === "http:" && !isHere(url) && !isLocal) {
    throw invalid(`${url.origin} must be https: only a server on this machine may use http`, "baseUrl");
  }
  if (isIP(host) !== 0 && isSpecial(host)) {
    throw invalid(`${host} is not the address of a server`, "baseUrl");
  }
  return url;
}

async function send(
  url: URL,
  request: RequestOptions,
  body: RequestInit["body"],
  { socketPath }: GuardOptions,
): Promise<IncomingMessage> {
  const isPlain = url.protocol === "http:";
  const { request: open } = isPlain ? await import("node:http") : await import("node:https");
  const place = socketPath === undefined ? { lookup: checkedLookup(isPlain) } : { socketPath };
  const attempt = (retry: (error: Error) => Promise<IncomingMessage>): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const sent: ClientRequest = open(url, { ...request, ...place }, resolve);
      // A server may end an idle connection at the moment at which it is used again.
      sent.once("error", (error) =>
        sent.reusedSocket && isReset(error) ? resolve(retry(error)) : reject(error),
      );
      sent.end(typeof body === "string" ? body : undefined);
    });
  return attempt(() => attempt((error) => Promise.reject(error)));
}

function isReset({ code }: NodeJS.ErrnoException): boolean {
  return code === "ECONNRESET" || code === "EPIPE";
}

/** The addresses of a name, checked before one of them is used. */
function checkedLookup(isPlain: boolean): LookupFunction {
  return (name, options, done) => {
    void import("node:dns").then(({ lookup }) => {
      lookup(name, { ...options, all: true }, (error, addresses: LookupAddress[]) => {
        const wrong = addresses?.find(({ address }) => (isPlain ? !isLoopback(address) : isSpecial(address)));
        const [first] = addresses ?? [];
        if (error !== null || first === undefined) done(error ?? new Error("no address"), "", 0);
        else if (wrong !== undefined) done(new Error(`it has the address ${wrong.address}`), "", 0);
        else if (options.all === true) done(null, addresses);
        else done(null, first.address, first.family);
      });
    });
  };
}

async function responseOf(
  answer: IncomingMessage,
  base: URL,
  { bytesMax, silenceMs }: GuardOptions,
  given: AbortSignal | null | undefined,
): Promise<Response> {
  const { statusCode: status = 0, headers } = answer;
  if (status >= 300 && status < 400) {
    answer.destroy();
    throw failed(base, "answered with a redirect, which is not followed", { status });
  }
  const parts = limited(answer, base, bytesMax);
  const named = Object.entries(headers).flatMap(([name, value]) =>
    typeof value === "string" ? [[name, value] as [string, string]] : [],
  );
  const isEmpty = status < 200 || status === 204 || status === 205;
  const body =
    silenceMs === undefined
      ? Buffer.concat(await Array.fromAsync(parts))
      : streamed(answer, parts, base, silenceMs, given);
  return new Response(isEmpty ? null : body, { status: Math.max(status, 200), headers: named });
}

async function* limited(answer: IncomingMessage, base: URL, bytesMax: number): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const part of answer as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > bytesMax) throw failed(base, `answered with more than ${bytesText(bytesMax)}`);
    yield part;
  }
}

/** The parts as they arrive. Silence counts while the reader waits for the next part, not while it is busy. */
function streamed(
  answer: IncomingMessage,
  parts: AsyncGenerator<Buffer>,
  base: URL,
  silenceMs: number,
  given: AbortSignal | null | undefined,
): ReadableStream<Uint8Array> {
  const silent = failed(base, `sent nothing for ${silenceMs / 1000} s`);
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const timer = setTimeout(() => answer.destroy(silent), silenceMs);
        try {
          const { done, value } = await parts.next();
          if (done) controller.close();
          else controller.enqueue(value);
        } catch (error) {
          if (given?.aborted) throw given.reason;
          throw error instanceof ColloquyError
            ? error
            : failed(base, "broke off in the middle of its answer");
        } finally {
          clearTimeout(timer);
        }
      },
      cancel() {
        answer.destroy();
      },
    },
    { highWaterMark: 0 },
  );
}

function failed(base: URL, what: string, details?: Record<string, unknown>): ColloquyError {
  return new ColloquyError("NETWORK_ERROR", `${base.origin} ${what}`, {
    details: { origin: base.origin, ...details },
  });
}

function reasonOf(error: unknown): string {
  const { code, message, errors } = error as NodeJS.ErrnoException & { errors?: readonly Error[] };
  return message || (errors?.[0]?.message ?? code ?? "the connection failed");
}
