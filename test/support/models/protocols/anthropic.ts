import type { JsonObject } from "../../../../src/util/json.ts";
import type { AnswerTo, Encoder, Protocol, ScriptStop } from "./script.ts";

const STOPS: Readonly<Record<ScriptStop, string>> = {
  end: "end_turn",
  tools: "tool_use",
  length: "max_tokens",
  refusal: "refusal",
};

const ERROR_TYPES: Readonly<Record<number, string>> = {
  400: "invalid_request_error",
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
  529: "overloaded_error",
};

/** Anthropic Messages, streamed. */
export const anthropicProtocol: Protocol = {
  path: /\/messages$/,
  encoder: (answer) => new AnthropicEncoder(answer),
  refusal: (status, message) => ({
    type: "error",
    error: { type: ERROR_TYPES[status] ?? "api_error", message },
    request_id: "req_test",
  }),
};

class AnthropicEncoder implements Encoder {
  readonly #answer: AnswerTo;
  #index = -1;
  #open: string | undefined;

  constructor(answer: AnswerTo) {
    this.#answer = answer;
  }

  begin(): void {
    const { id, model } = this.#answer;
    const message = { id: `msg_${id}`, type: "message", role: "assistant", model, content: [] };
    const ending = { stop_reason: null, stop_sequence: null, usage: this.#usage(1) };
    this.#event("message_start", { message: { ...message, ...ending } });
    this.#event("ping", {});
  }

  text(delta: string): void {
    this.#block("text", { type: "text", text: "" });
    this.#delta({ type: "text_delta", text: delta });
  }

  thinking(delta: string, signature: string | undefined): void {
    this.#block("thinking", { type: "thinking", thinking: "", signature: "" });
    this.#delta({ type: "thinking_delta", thinking: delta });
    if (signature !== undefined) this.#delta({ type: "signature_delta", signature });
  }

  redacted(data: string): void {
    this.#close();
    this.#block("redacted", { type: "redacted_thinking", data });
    this.#close();
  }

  tool(id: string, name: string, json: string): void {
    this.#close();
    this.#block("tool", { type: "tool_use", id, name, input: {} });
    for (let at = 0; at < json.length; at += 20) {
      this.#delta({ type: "input_json_delta", partial_json: json.slice(at, at + 20) });
    }
    this.#close();
  }

  error(message: string): void {
    this.#event("error", { error: { type: "overloaded_error", message } });
  }

  end(stop: ScriptStop): void {
    this.#close();
    const delta = { stop_reason: STOPS[stop], stop_sequence: null };
    this.#event("message_delta", { delta, usage: this.#usage(this.#answer.usage.output) });
    this.#event("message_stop", {});
  }

  #usage(output: number): JsonObject {
    const { input, cacheRead, cacheWrite } = this.#answer.usage;
    return {
      input_tokens: input,
      cache_creation_input_tokens: cacheWrite,
      cache_read_input_tokens: cacheRead,
      output_tokens: output,
    };
  }

  #block(kind: string, block: JsonObject): void {
    if (this.#open === kind) return;
    this.#close();
    this.#open = kind;
    this.#index += 1;
    this.#event("content_block_start", { index: this.#index, content_block: block });
  }

  #delta(delta: JsonObject): void {
    this.#event("content_block_delta", { index: this.#index, delta });
  }

  #close(): void {
    if (this.#open !== undefined) this.#event("content_block_stop", { index: this.#index });
    this.#open = undefined;
  }

  #event(type: string, data: JsonObject): void {
    this.#answer.send({ type, ...data }, type);
  }
}
