import type { JsonObject } from "../../../../src/util/json.ts";
import type { AnswerTo, Encoder, Protocol, ScriptStop } from "./script.ts";

interface OpenItem {
  readonly kind: "message" | "reasoning";
  readonly id: string;
  text: string;
  signature?: string;
}

/** OpenAI Responses, streamed. */
export const responsesProtocol: Protocol = {
  path: /\/responses$/,
  encoder: (answer) => new ResponsesEncoder(answer),
  refusal: (status, message) => ({ error: { message, type: "error", param: null, code: String(status) } }),
};

class ResponsesEncoder implements Encoder {
  readonly #answer: AnswerTo;
  readonly #output: JsonObject[] = [];
  #sent = 0;
  #open: OpenItem | undefined;

  constructor(answer: AnswerTo) {
    this.#answer = answer;
  }

  begin(): void {
    this.#event("response.created", { response: this.#response("in_progress") });
  }

  text(delta: string): void {
    const item = this.#item("message");
    item.text += delta;
    this.#event("response.output_text.delta", { ...this.#place(item), content_index: 0, delta });
  }

  thinking(delta: string, signature: string | undefined): void {
    const item = this.#item("reasoning");
    item.text += delta;
    if (signature !== undefined) item.signature = signature;
    this.#event("response.reasoning_summary_text.delta", { ...this.#place(item), summary_index: 0, delta });
  }

  redacted(data: string): void {
    this.#close();
    const item = { type: "reasoning", id: `rs_${this.#answer.id}_${this.#output.length}`, summary: [] };
    this.#whole({ ...item, encrypted_content: null }, { ...item, encrypted_content: data });
  }

  tool(callId: string, name: string, json: string): void {
    this.#close();
    const id = `fc_${this.#answer.id}_${this.#output.length}`;
    const item = { type: "function_call", id, call_id: callId, name };
    const place = { item_id: id, output_index: this.#output.length };
    const added = { ...item, arguments: "", status: "in_progress" };
    this.#event("response.output_item.added", { output_index: this.#output.length, item: added });
    for (let at = 0; at < json.length; at += 20) {
      const delta = json.slice(at, at + 20);
      this.#event("response.function_call_arguments.delta", { ...place, delta });
    }
    this.#event("response.function_call_arguments.done", { ...place, arguments: json });
    this.#done({ ...item, arguments: json, status: "completed" });
  }

  error(message: string): void {
    this.#event("error", { code: "server_error", message, param: null });
  }

  end(stop: ScriptStop): void {
    this.#close();
    const reasons: Partial<Record<ScriptStop, string>> = {
      length: "max_output_tokens",
      refusal: "content_filter",
    };
    const reason = reasons[stop];
    const status = reason === undefined ? "completed" : "incomplete";
    const response = this.#response(status, reason === undefined ? null : { reason });
    this.#event(`response.${status}`, { response: { ...response, usage: this.#usage() } });
  }

  #usage(): JsonObject {
    const { input, output, cacheRead, cacheWrite } = this.#answer.usage;
    const prompt = input + cacheRead + cacheWrite;
    return {
      input_tokens: prompt,
      input_tokens_details: { cached_tokens: cacheRead },
      output_tokens: output,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: prompt + output,
    };
  }

  #response(status: string, incomplete: JsonObject | null = null): JsonObject {
    const { id, model } = this.#answer;
    const head = { id: `resp_${id}`, object: "response", created_at: 1_760_000_000, status, model };
    return { ...head, error: null, incomplete_details: incomplete, output: this.#output };
  }

  #place(item: OpenItem): JsonObject {
    return { item_id: item.id, output_index: this.#output.length };
  }

  #item(kind: OpenItem["kind"]): OpenItem {
    if (this.#open?.kind === kind) return this.#open;
    this.#close();
    const id = `${kind === "message" ? "msg" : "rs"}_${this.#answer.id}_${this.#output.length}`;
    const item: OpenItem = { kind, id, text: "" };
    this.#open = item;
    this.#event("response.output_item.added", { output_index: this.#output.length, item: started(item) });
    const place = this.#place(item);
    if (kind === "message") {
      const part = { type: "output_text", text: "", annotations: [] };
      this.#event("response.content_part.added", { ...place, content_index: 0, part });
    } else {
      const part = { type: "summary_text", text: "" };
      this.#event("response.reasoning_summary_part.added", { ...place, summary_index: 0, part });
    }
    return item;
  }

  #close(): void {
    const item = this.#open;
    this.#open = undefined;
    if (item === undefined) return;
    const place = this.#place(item);
    if (item.kind === "message") {
      const part = { type: "output_text", text: item.text, annotations: [] };
      this.#event("response.output_text.done", { ...place, content_index: 0, text: item.text });
      this.#event("response.content_part.done", { ...place, content_index: 0, part });
      this.#done({ ...started(item), status: "completed", content: [part] });
      return;
    }
    const part = { type: "summary_text", text: item.text };
    this.#event("response.reasoning_summary_text.done", { ...place, summary_index: 0, text: item.text });
    this.#event("response.reasoning_summary_part.done", { ...place, summary_index: 0, part });
    this.#done({ ...started(item), summary: [part], encrypted_content: item.signature ?? null });
  }

  #whole(added: JsonObject, done: JsonObject): void {
    this.#event("response.output_item.added", { output_index: this.#output.length, item: added });
    this.#done(done);
  }

  #done(item: JsonObject): void {
    this.#event("response.output_item.done", { output_index: this.#output.length, item });
    this.#output.push(item);
  }

  #event(type: string, data: JsonObject): void {
    this.#answer.send({ type, sequence_number: this.#sent, ...data }, type);
    this.#sent += 1;
  }
}

function started({ kind, id }: OpenItem): JsonObject {
  if (kind === "reasoning") return { type: "reasoning", id, summary: [], encrypted_content: null };
  return { type: "message", id, role: "assistant", status: "in_progress", content: [] };
}
