/** The Chat Completions API of OpenAI. */
import type { ServerResponse } from "node:http";
import type { JsonObject } from "../../../src/util/json.ts";
import { objectsIn, textIn } from "../../../src/util/values.ts";
import { answerTo, type Turn } from "./plan.ts";
import { newId, sendJson, streamOf, textOf, tokensIn } from "./wire.ts";

export function chat(body: JsonObject, response: ServerResponse): void {
  const { thoughts, texts, calls } = answerTo(objectsIn(body.messages).map(turnOf));
  const tool_calls = calls.map(({ name, input }, index) => ({
    ...{ index, id: newId("call_"), type: "function", function: { name, arguments: JSON.stringify(input) } },
  }));
  const finish_reason = calls.length > 0 ? "tool_calls" : "stop";
  const [prompt_tokens, completion_tokens] = [tokensIn(body.messages), tokensIn([texts, tool_calls])];
  const usage = { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens };
  const own = {
    id: newId("chatcmpl-"),
    created: Math.floor(Date.now() / 1000),
    model: textIn(body.model) ?? "",
  };
  const content = texts.join("\n");
  if (body.stream !== true) {
    const message = { role: "assistant", content, ...(calls.length > 0 ? { tool_calls } : {}) };
    sendJson(response, {
      ...own,
      object: "chat.completion",
      choices: [{ index: 0, finish_reason, message }],
      usage,
    });
    return;
  }
  const send = streamOf(response);
  const piece = (delta: JsonObject, finish: string | null = null): void =>
    send(undefined, {
      ...own,
      object: "chat.completion.chunk",
      choices: [{ index: 0, delta, finish_reason: finish }],
    });
  piece({ role: "assistant", content: "" });
  for (const reasoning_content of thoughts) piece({ reasoning_content });
  if (content !== "") piece({ content });
  if (tool_calls.length > 0) piece({ tool_calls });
  piece({}, finish_reason);
  send(undefined, { ...own, object: "chat.completion.chunk", choices: [], usage });
  response.end("data: [DONE]\n\n");
}

function turnOf({ role, content }: JsonObject): Turn {
  const known = role === "user" || role === "assistant" || role === "tool" ? role : "other";
  return { role: known, text: textOf(content) };
}
