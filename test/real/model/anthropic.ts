/** The Messages API of Anthropic. */
import type { ServerResponse } from "node:http";
import type { JsonObject } from "../../../src/util/json.ts";
import { objectsIn, textIn } from "../../../src/util/values.ts";
import { answerTo, type Turn } from "./plan.ts";
import { newId, sendJson, streamOf, textOf, tokensIn } from "./wire.ts";

export function messages(body: JsonObject, response: ServerResponse): void {
  const { thoughts, texts, calls } = answerTo(objectsIn(body.messages).map(turnOf));
  const content: JsonObject[] = [
    ...thoughts.map((thinking) => ({ type: "thinking", thinking, signature: btoa(`signed: ${thinking}`) })),
    ...texts.map((text) => ({ type: "text", text })),
    ...calls.map(({ name, input }) => ({
      type: "tool_use",
      id: newId("toolu_01"),
      name,
      input: input as JsonObject,
    })),
  ];
  const message = {
    id: newId("msg_01"),
    type: "message",
    role: "assistant",
    model: textIn(body.model) ?? "",
  };
  const usage = {
    input_tokens: tokensIn(body.messages),
    cache_read_input_tokens: 7,
    output_tokens: tokensIn(content),
  };
  const end = { stop_reason: calls.length > 0 ? "tool_use" : "end_turn", stop_sequence: null };
  if (body.stream !== true) {
    sendJson(response, { ...message, content, ...end, usage });
    return;
  }
  const send = streamOf(response);
  const event = (type: string, data: JsonObject): void => send(type, { type, ...data });
  event("message_start", {
    message: { ...message, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } },
  });
  for (const [index, block] of content.entries()) {
    const [empty, deltas] = piecesOf(block);
    event("content_block_start", { index, content_block: empty });
    for (const delta of deltas) event("content_block_delta", { index, delta });
    event("content_block_stop", { index });
  }
  event("message_delta", { delta: end, usage });
  event("message_stop", {});
  response.end();
}

/** Results of tools are not prompts, unless a prompt was added to them. */
function turnOf({ role, content }: JsonObject): Turn {
  const text = textOf(content);
  const isResult = objectsIn(content).some(({ type }) => type === "tool_result");
  if (role === "assistant") return { role, text };
  return { role: isResult && !text.includes("@") ? "tool" : "user", text };
}

function piecesOf(block: JsonObject): readonly [JsonObject, readonly JsonObject[]] {
  if (block.type === "text")
    return [{ type: "text", text: "" }, [{ type: "text_delta", text: block.text ?? "" }]];
  if (block.type === "tool_use") {
    return [
      { ...block, input: {} },
      [{ type: "input_json_delta", partial_json: JSON.stringify(block.input) }],
    ];
  }
  return [
    { type: "thinking", thinking: "", signature: "" },
    [
      { type: "thinking_delta", thinking: block.thinking ?? "" },
      { type: "signature_delta", signature: block.signature ?? "" },
    ],
  ];
}
