/** The Responses API of OpenAI. */
import type { ServerResponse } from "node:http";
import type { JsonObject } from "../../../src/util/json.ts";
import { objectsIn, textIn } from "../../../src/util/values.ts";
import { type Answer, answerTo, type Turn } from "./plan.ts";
import { newId, type Send, streamOf, textOf, tokensIn } from "./wire.ts";

export function responses(body: JsonObject, response: ServerResponse): void {
  const input =
    typeof body.input === "string" ? [{ role: "user", content: body.input }] : objectsIn(body.input);
  const answer = answerTo(input.map(turnOf));
  const own = { id: newId("resp_"), object: "response", model: textIn(body.model) ?? "" };
  const stream = streamOf(response);
  let sequence_number = 0;
  const send: Send = (type, data) =>
    stream(type, { type: type ?? "", sequence_number: sequence_number++, ...data });
  send("response.created", { response: { ...own, status: "in_progress", output: [] } });
  const output = itemsOf(answer, objectsIn(body.tools));
  for (const [output_index, item] of output.entries()) sendItem(send, item, output_index);
  const [input_tokens, output_tokens] = [tokensIn(input), tokensIn(output)];
  const usage = {
    ...{ input_tokens, input_tokens_details: { cached_tokens: 5 }, output_tokens },
    ...{
      output_tokens_details: { reasoning_tokens: answer.thoughts.length },
      total_tokens: input_tokens + output_tokens,
    },
  };
  send("response.completed", { response: { ...own, status: "completed", output, usage } });
  response.end();
}

/** Context that the tool adds in the name of the user is not a prompt. */
function turnOf({ type, role, content }: JsonObject): Turn {
  const text = textOf(content);
  if (role === "user") return { role: /^\s*(?:<[a-z_A-Z]+>|# AGENTS)/.test(text) ? "other" : "user", text };
  if (role !== undefined) return { role: role === "assistant" ? "assistant" : "other", text };
  return { role: /_output$/.test(textIn(type) ?? "") ? "tool" : "assistant", text };
}

function itemsOf({ thoughts, texts, calls }: Answer, tools: readonly JsonObject[]): JsonObject[] {
  const isCustom = (name: string): boolean =>
    tools.some((tool) => tool.type === "custom" && tool.name === name);
  return [
    ...thoughts.map((text) => ({
      ...{ type: "reasoning", id: newId("rs_"), summary: [{ type: "summary_text", text }] },
      encrypted_content: btoa(`sealed: ${text}`),
    })),
    ...texts.map((text) => ({
      ...{ type: "message", id: newId("msg_"), role: "assistant", status: "completed" },
      content: [{ type: "output_text", text, annotations: [] }],
    })),
    ...calls.map(({ name, input }) => {
      const [namespace, own = namespace] = name.split(":") as [string, string?];
      const id = { id: newId("fc_"), call_id: newId("call_"), name: own, status: "completed" };
      if (isCustom(name))
        return { type: "custom_tool_call", ...id, input: textIn(input.input as never) ?? "" };
      const spaced = own === namespace ? {} : { namespace };
      return { type: "function_call", ...id, ...spaced, arguments: JSON.stringify(input) };
    }),
  ];
}

function sendItem(send: Send, item: JsonObject, output_index: number): void {
  const item_id = item.id ?? "";
  send("response.output_item.added", { output_index, item: { ...item, status: "in_progress" } });
  if (item.type === "message") {
    const [part = {}] = objectsIn(item.content);
    send("response.output_text.delta", { item_id, output_index, content_index: 0, delta: part.text ?? "" });
  }
  send("response.output_item.done", { output_index, item });
}
