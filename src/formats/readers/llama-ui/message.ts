/** Messages of llama.cpp's UI. */
import { isRole } from "../../../message/rules.ts";
import { toolInput } from "../../../message/tool-input.ts";
import type { Block, Message } from "../../../message/types.ts";
import { defined, type Json, type JsonObject, someDefined } from "../../../util/json.ts";
import { filledIn, listIn, numberIn, objectIn, objectsIn, parsedIn, textIn } from "../../../util/values.ts";
import { madeId } from "../../contract/ids.ts";
import { mediaFromUrl } from "../shared/whole-tree-blocks.ts";

type OnUnknown = (type: string) => void;

export function llamaMessage(id: string, message: JsonObject, onUnknown: OnUnknown): Message {
  const { role, content, model } = message;
  const text = textIn(content) ?? "";
  if (role === "tool") return { role: "user", content: [resultBlock(id, message, text, onUnknown)] };
  const after = [...callsIn(id, message.toolCalls), ...attachedIn(message.extra, onUnknown)];
  const blocks = [...thinkingIn(message), ...(text === "" ? [] : [{ type: "text", text }]), ...after];
  const isPlain = blocks.length === 0 || (blocks.length === 1 && text !== "");
  return {
    ...roleIn(role, onUnknown),
    content: isPlain ? text : blocks,
    ...defined({ model: filledIn(model), usage: usageIn(message.timings) }),
  };
}

function roleIn(role: Json | undefined, onUnknown: OnUnknown): Pick<Message, "role" | "extra"> {
  if (isRole(role)) return { role };
  onUnknown(`role ${textIn(role) ?? "none"}`);
  return { role: "system", extra: { "llama-ui": defined({ role }) } };
}

function resultBlock(id: string, message: JsonObject, text: string, onUnknown: OnUnknown): Block {
  const attached = attachedIn(message.extra, onUnknown);
  return {
    type: "tool_result",
    tool_use_id: filledIn(message.toolCallId) ?? madeId(id, "result"),
    content: attached.length === 0 ? text : [{ type: "text", text }, ...attached],
  };
}

/** Legacy exports call the property `thinking`. */
function thinkingIn({ reasoningContent, thinking }: JsonObject): Block[] {
  const thought = filledIn(reasoningContent) ?? filledIn(thinking);
  return thought === undefined ? [] : [{ type: "thinking", thinking: thought }];
}

/** A list, or in legacy exports its JSON text. */
function callsIn(id: string, value: Json | undefined): Block[] {
  return objectsIn(parsedIn(value) ?? value).map((call, index) => {
    const { name, arguments: raw } = objectIn(call.function) ?? {};
    const callId = filledIn(call.id) ?? madeId(id, "call", index);
    return { type: "tool_use", id: callId, name: filledIn(name) ?? "unknown", ...toolInput(raw) };
  });
}

function attachedIn(extra: Json | undefined, onUnknown: OnUnknown): Block[] {
  return listIn(extra).flatMap((item) => {
    const attachment = objectIn(item);
    return attachment === undefined ? [] : [attachedBlock(attachment, onUnknown)];
  });
}

/** `IMAGE` of one release is `imageFile` of another. */
function attachedBlock(attachment: JsonObject, onUnknown: OnUnknown): Block {
  const type = textIn(attachment.type)?.toLowerCase().replace(/file$/, "") ?? "none";
  const title = filledIn(attachment.name);
  const url = filledIn(attachment.base64Url);
  const data = filledIn(attachment.base64Data);
  if (type === "image" && url !== undefined) return mediaFromUrl(url) ?? { ...attachment, type };
  if (type === "pdf" && data !== undefined) {
    return documentBlock({ type: "base64", media_type: "application/pdf", data }, title);
  }
  const text = textIn(attachment.content);
  if (TEXTS.has(type) && text !== undefined) {
    return documentBlock({ type: "text", media_type: "text/plain", data: text }, title);
  }
  if (type !== "audio" && type !== "video") onUnknown(`attachment ${type}`);
  return { ...attachment, type: `llama-ui_${type}` };
}

const TEXTS: ReadonlySet<string> = new Set(["text", "context", "mcp_prompt", "mcp_resource", "pdf"]);

function documentBlock(source: JsonObject, title: string | undefined): Block {
  return { type: "document", source, ...(title !== undefined && { title }) };
}

/** Tokens that the server had cached are counted separately. */
function usageIn(value: Json | undefined): JsonObject | undefined {
  const timings = objectIn(value);
  return someDefined({
    input_tokens: numberIn(timings?.prompt_n),
    output_tokens: numberIn(timings?.predicted_n),
    cache_read_input_tokens: numberIn(timings?.cache_n),
  });
}
