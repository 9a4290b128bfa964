/** What a run reports while it works, and what it returns. */
import type { ColloquyError } from "../../errors.ts";
import type { JsonObject } from "../../util/json.ts";
import type { ModelUsage, StopReason } from "../model/chat-model.ts";

export type AgentEvent =
  /** The model is asked, for the nth time in this run. */
  | { readonly type: "step"; readonly step: number }
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "thinking"; readonly text: string }
  | { readonly type: "tool-start"; readonly id: string; readonly name: string; readonly input: JsonObject }
  | {
      readonly type: "tool-end";
      readonly id: string;
      readonly name: string;
      readonly isError: boolean;
      /** As the model sees it; empty for an image. */
      readonly output: string;
    }
  /** A profile or a model failed, and the next one is asked. */
  | { readonly type: "failure"; readonly model: string; readonly profileId?: string; readonly error: Error }
  /** The conversation is nearly as long as the model's context window. */
  | { readonly type: "compaction"; readonly state: "started" }
  | { readonly type: "compaction"; readonly state: "done"; readonly entry: string; readonly messages: number }
  /** Nothing has changed, and the run continues with what fits. */
  | { readonly type: "compaction"; readonly state: "failed"; readonly error: ColloquyError }
  | { readonly type: "done"; readonly result: RunResult };

/** `stopped`: by the caller's signal. `max_steps`: the model still wanted to call tools. */
export type RunStopReason = StopReason | "stopped" | "max_steps";

export interface RunResult {
  /** The session key of the conversation. */
  readonly key: string | null;
  readonly conversation: string;
  readonly branch: string;
  /** The model that answered, as `provider/model`. */
  readonly model: string;
  /** The text of the answer. Empty if the model said nothing. */
  readonly reply: string;
  /** The ids of the messages that the run wrote, in order. */
  readonly entries: readonly string[];
  /** Of all steps. */
  readonly usage: ModelUsage;
  readonly stopReason: RunStopReason;
}
