import type { JsonObject } from "../../../../src/util/json.ts";
import type { AnswerTo, Encoder, Protocol, ScriptStop } from "./script.ts";

const STOPS: Readonly<Record<ScriptStop, string>> = {
  end: "stop",
  tools: "tool_calls",
  length: "length",
  refusal: "content_filter",
};

/** OpenAI Chat Completions, streamed, as Ollama and others speak it. */
export const chatCompletionsProtocol: Protocol = {
  path: /\/chat\/completions$/,
  encoder: (answer) => new ChatEncoder(answer),
  refusal: (status, message) => ({ error: { message, type: "error", param: null, code: String(status) } }),
};

class ChatEncoder implements Encoder {
  readonly #answer: AnswerTo;
  #calls = 0;

  constructor(answer: AnswerTo) {
    this.#answer = answer;
  }

  begin(): void {
    this.#chunk({ role: "assistant", content: "" });
  }

  text(delta: string): void {
    this.#chunk({ content: delta });
  }

  thinking(delta: string): void {
    this.#chunk({ reasoning_content: delta });
  }

  redacted(): void {
    // The protocol has nothing like it.
  }

  tool(id: string, name: string, json: string): void {
    const index = this.#calls;
    this.#calls += 1;
    this.#chunk({ tool_calls: [{ index, id, type: "function", function: { name, arguments: "" } }] });
    for (let at = 0; at < json.length; at += 20) {
      this.#chunk({ tool_calls: [{ index, function: { arguments: json.slice(at, at + 20) } }] });
    }
  }

  error(message: string): void {
    this.#answer.send({ error: { message, type: "server_error", code: null, param: null } });
  }

  end(stop: ScriptStop): void {
    this.#chunk({}, STOPS[stop]);
    const { input, output, cacheRead, cacheWrite } = this.#answer.usage;
    const prompt = input + cacheRead + cacheWrite;
    const usage = {
      prompt_tokens: prompt,
      completion_tokens: output,
      total_tokens: prompt + output,
      prompt_tokens_details: { cached_tokens: cacheRead },
    };
    this.#answer.send({ ...this.#head(), choices: [], usage });
    this.#answer.send("[DONE]");
  }

  #head(): JsonObject {
    const { id, model } = this.#answer;
    return { id: `chatcmpl-${id}`, object: "chat.completion.chunk", created: 1_760_000_000, model };
  }

  #chunk(delta: JsonObject, finish: string | null = null): void {
    this.#answer.send({ ...this.#head(), choices: [{ index: 0, delta, finish_reason: finish }] });
  }
}
