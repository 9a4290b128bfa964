/** What a test lets a model say, in the words of no protocol. */
import type { JsonObject } from "../../../../src/util/json.ts";

/** In the order in which they are sent. Pieces of one kind that follow each other are one block. */
export type Piece =
  | { readonly text: string; readonly delayMs?: number }
  | { readonly thinking: string; readonly signature?: string }
  | { readonly redacted: string }
  /** `input` as a string is sent as it is, for arguments that are not JSON. */
  | { readonly tool: string; readonly input?: JsonObject | string; readonly id?: string }
  | { readonly delayMs: number }
  /** Continues when the promise resolves, so that no test depends on time. */
  | { readonly until: Promise<unknown> }
  /** Bytes in the middle of the stream, such as an event that is not JSON. */
  | { readonly raw: string }
  /** A text of this size, in deltas of 64 KB. */
  | { readonly bytes: number }
  /** An error inside of the stream, as the protocol sends it. */
  | { readonly error: string }
  /** Sends nothing more, ends the connection, or ends the answer without saying so. */
  | { readonly fault: "hang" | "cut" | "end" };

interface ScriptUsage {
  /** Without those of the cache. */
  readonly input?: number;
  readonly output?: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
}

export type ScriptStop = "end" | "tools" | "length" | "refusal";

export interface Streamed {
  readonly say: readonly Piece[];
  readonly usage?: ScriptUsage;
  /** By default `tools` after a tool call, otherwise `end`. */
  readonly stop?: ScriptStop;
  /** How long the answer stays open after its last event. */
  readonly lingerMs?: number;
}

/** An answer that is not a stream: an error, or anything else a server may send. */
export interface Refused {
  readonly status: number;
  readonly message?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Instead of an error as the protocol words it. */
  readonly body?: string;
}

/** The answer to one request. A list is short for `{ say: list }`; `"hang"` never answers, `"cut"` ends the connection. */
export type Step = readonly Piece[] | Streamed | Refused | "hang" | "cut";

/** One answer in a protocol. */
export interface Encoder {
  begin(): void;
  text(delta: string): void;
  thinking(delta: string, signature: string | undefined): void;
  redacted(data: string): void;
  tool(id: string, name: string, json: string): void;
  error(message: string): void;
  end(stop: ScriptStop): void;
}

export interface Protocol {
  /** Of the path of a request. */
  readonly path: RegExp;
  encoder(answer: AnswerTo): Encoder;
  refusal(status: number, message: string): JsonObject;
}

export interface AnswerTo {
  readonly model: string;
  readonly id: string;
  readonly usage: Required<ScriptUsage>;
  send(data: JsonObject | string, event?: string): void;
}
