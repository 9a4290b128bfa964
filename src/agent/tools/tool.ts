/** A function that a model can call. */
import type { Block } from "../../message/types.ts";
import type { Conversation } from "../../store/conversation.ts";
import type { Store } from "../../store/store.ts";
import type { JsonObject } from "../../util/json.ts";

/** What a tool knows of the call. */
export interface ToolCall {
  readonly id: string;
  /** Aborted when the run is stopped, or when the time limit of the tool is over. */
  readonly signal: AbortSignal;
  readonly store?: Store | undefined;
  readonly conversation?: Conversation | undefined;
  /** The session key of the run. */
  readonly key?: string | undefined;
  /** 0 for a run that a user started, 1 for its sub-agents. */
  readonly depth: number;
  /** The same object in all calls of one run, for limits that a tool keeps per run. */
  readonly run?: object | undefined;
  /** How many calls of this tool the run has completed before it was interrupted, such as by a kill. Default: 0. */
  readonly callsBefore?: number | undefined;
}

/** A text, blocks such as images, or a value that is shown to the model as JSON. */
export type ToolOutput = string | readonly Block[] | JsonObject | undefined;

export interface Tool {
  /** Letters, digits, `_` and `-`; at most 64. */
  readonly name: string;
  readonly description: string;
  /** JSON Schema of an object. The input of a call is checked against it. */
  readonly inputSchema: JsonObject;
  /** Whether it may run again when it is not known if an earlier run of the same call has finished. Default: no. */
  readonly mayRepeat?: boolean | undefined;
  /** Default: the limit of the loop. */
  readonly timeoutMs?: number | undefined;
  /**
   * Resolves if a call may run, such as after a question to the user; an error is the result of the call. The call
   * does not count as started before, so a run that is continued after a kill asks again.
   */
  permit?(input: JsonObject, call: ToolCall): Promise<void>;
  /** A thrown error becomes the result, marked as an error, and the model goes on from it. */
  run(input: JsonObject, call: ToolCall): ToolOutput | Promise<ToolOutput>;
}
