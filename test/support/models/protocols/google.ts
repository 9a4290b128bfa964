import type { JsonObject } from "../../../../src/util/json.ts";
import { parseJson } from "../../../../src/util/json.ts";
import type { AnswerTo, Encoder, Protocol, ScriptStop } from "./script.ts";

const STOPS: Readonly<Record<ScriptStop, string>> = {
  end: "STOP",
  tools: "STOP",
  length: "MAX_TOKENS",
  refusal: "SAFETY",
};

const STATUSES: Readonly<Record<number, string>> = {
  400: "INVALID_ARGUMENT",
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  429: "RESOURCE_EXHAUSTED",
  503: "UNAVAILABLE",
};

/** Google's `streamGenerateContent`. */
export const googleProtocol: Protocol = {
  path: /:streamGenerateContent$/,
  encoder: (answer) => new GoogleEncoder(answer),
  refusal: (status, message) => ({
    error: { code: status, message, status: STATUSES[status] ?? "INTERNAL" },
  }),
};

class GoogleEncoder implements Encoder {
  readonly #answer: AnswerTo;

  constructor(answer: AnswerTo) {
    this.#answer = answer;
  }

  begin(): void {
    // The first event is the first piece of text.
  }

  text(delta: string): void {
    this.#part({ text: delta });
  }

  thinking(delta: string, signature: string | undefined): void {
    this.#part({
      text: delta,
      thought: true,
      ...(signature === undefined ? {} : { thoughtSignature: signature }),
    });
  }

  redacted(): void {
    // The protocol has nothing like it.
  }

  tool(id: string, name: string, json: string): void {
    const args = (parseJson(json) ?? {}) as JsonObject;
    this.#part({ functionCall: { id, name, args } });
  }

  error(message: string): void {
    this.#answer.send({ error: { code: 503, message, status: "UNAVAILABLE" } });
  }

  end(stop: ScriptStop): void {
    const { input, output, cacheRead, cacheWrite } = this.#answer.usage;
    const prompt = input + cacheRead + cacheWrite;
    const usageMetadata = {
      promptTokenCount: prompt,
      candidatesTokenCount: output,
      cachedContentTokenCount: cacheRead,
      totalTokenCount: prompt + output,
    };
    const candidate = { index: 0, content: { role: "model", parts: [] }, finishReason: STOPS[stop] };
    this.#answer.send({ candidates: [candidate], usageMetadata, modelVersion: this.#answer.model });
  }

  #part(part: JsonObject): void {
    const { model, id } = this.#answer;
    const candidates = [{ index: 0, content: { role: "model", parts: [part] } }];
    this.#answer.send({ candidates, modelVersion: model, responseId: id });
  }
}
