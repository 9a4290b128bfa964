/** One message of ChatGPT as ours. */
import { isRole } from "../../../message/rules.ts";
import { toolInput } from "../../../message/tool-input.ts";
import type { Block, Message, Role } from "../../../message/types.ts";
import { defined, type JsonObject, someDefined } from "../../../util/json.ts";
import { filledIn, objectIn, objectsIn } from "../../../util/values.ts";
import { madeId } from "../../contract/ids.ts";
import type { Sink } from "../../contract/reader.ts";
import { contentOf } from "../shared/whole-tree-blocks.ts";
import type { Assets } from "./assets.ts";
import type { CallPairs } from "./calls.ts";
import { attachedBlocks, contentBlocks, contentText } from "./content.ts";
import type { ChatNode } from "./index.ts";

export function messageOf(node: ChatNode, pairs: CallPairs, assets: Assets, sink: Sink): Message {
  const { message } = node;
  const metadata = objectIn(message.metadata) ?? {};
  const content = objectIn(message.content) ?? {};
  const said = () => [...contentBlocks(content, assets, sink), ...attachedBlocks(message, assets, sink)];
  const extra = extraOf(message, content, metadata);
  return {
    ...spoken(node, pairs, said, content, sink),
    ...defined({
      model: filledIn(metadata.model_slug),
      stopReason: filledIn(objectIn(metadata.finish_details)?.type),
      extra: extra && { chatgpt: extra },
    }),
  };
}

function spoken(
  { id, parent, message }: ChatNode,
  pairs: CallPairs,
  said: () => Block[],
  content: JsonObject,
  sink: Sink,
): Pick<Message, "role" | "content"> {
  const author = objectIn(message.author) ?? {};
  const recipient = filledIn(message.recipient) ?? "all";
  if (author.role === "tool") {
    const callId = pairs.answer(id, parent, filledIn(author.name) ?? "");
    return { role: "user", content: [resultBlock(callId, id, content, said())] };
  }
  if (author.role === "assistant" && recipient !== "all") {
    const callId = pairs.call(id, parent, recipient);
    return { role: "assistant", content: callBlocks(callId, recipient, content, said) };
  }
  const role = roleOf(author.role, sink);
  pairs.pass(id, parent, role === "user");
  return { role, content: contentOf(said()) };
}

function roleOf(role: unknown, sink: Sink): Role {
  if (isRole(role)) return role;
  sink.unknown(`role ${String(role)}`);
  return "system";
}

function callBlocks(id: string, name: string, content: JsonObject, said: () => Block[]): Block[] {
  const text = contentText(content);
  if (text === undefined) return [...said(), { type: "tool_use", id, name, input: {} }];
  const { input, arguments: written } = toolInput(text);
  const isObject = written === undefined;
  return [{ type: "tool_use", id, name, input: isObject ? input : spelled(content, text) }];
}

/** Many of these tools take a program or plain words instead of JSON. */
function spelled({ content_type, language }: JsonObject, text: string): JsonObject {
  if (content_type !== "code") return { text };
  return defined({ code: text, language: filledIn(language) });
}

function resultBlock(
  callId: string | undefined,
  node: string,
  { content_type }: JsonObject,
  blocks: readonly Block[],
): Block {
  const content = contentOf(blocks);
  return {
    type: "tool_result",
    tool_use_id: callId ?? madeId("chatgpt result", node),
    ...(content !== "" && { content }),
    ...(content_type === "system_error" && { is_error: true }),
    // Nothing in the export says which call it answers.
    ...(callId !== undefined && { paired: "order" }),
  };
}

function extraOf(message: JsonObject, content: JsonObject, metadata: JsonObject): JsonObject | undefined {
  const author = objectIn(message.author) ?? {};
  const isHidden = message.weight === 0 || metadata.is_visually_hidden_from_conversation === true;
  const type = filledIn(content.content_type);
  const attachments = objectsIn(metadata.attachments);
  const role = filledIn(author.role);
  return someDefined({
    role: role !== undefined && KNOWN_ROLES.has(role) ? undefined : role,
    hidden: isHidden || undefined,
    channel: filledIn(message.channel),
    tool: author.role === "tool" ? filledIn(author.name) : undefined,
    content_type: type === undefined || PLAIN_TYPES.has(type) ? undefined : type,
    attachments: attachments.length > 0 ? attachments : undefined,
  });
}

const KNOWN_ROLES: ReadonlySet<string> = new Set(["user", "assistant", "system", "tool"]);
const PLAIN_TYPES: ReadonlySet<string> = new Set(["text", "multimodal_text"]);
