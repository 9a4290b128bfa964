/** Converts messages of Open WebUI. */
import { fromOpenAI } from "../../../message/apis/openai.ts";
import { isRole } from "../../../message/rules.ts";
import type { Block, Message, Role } from "../../../message/types.ts";
import { defined, type Json, type JsonObject, someDefined } from "../../../util/json.ts";
import { filledIn, listIn, numberIn, objectIn, objectsIn, textIn } from "../../../util/values.ts";
import type { Sink } from "../../contract/reader.ts";
import { contentOf, foreignBlock, mediaFromUrl } from "../shared/whole-tree-blocks.ts";

export function messageOf(message: JsonObject, sink: Sink): Message {
  const usage = usageOf(
    objectIn(message.usage) ?? objectIn(objectIn(message.info)?.usage) ?? objectIn(message.info),
  );
  const extra = someDefined({
    error: message.error === false || message.error === null ? undefined : message.error,
    role: isRole(message.role) ? undefined : (message.role ?? undefined),
  });
  return {
    role: roleOf(message.role, sink),
    content: contentOf([...textBlocks(message.content, sink), ...fileBlocks(message, sink)]),
    ...defined({
      model: message.role === "user" ? undefined : filledIn(message.model),
      usage,
      stopReason: filledIn(message.finish_reason),
      extra: extra && { "open-webui": extra },
    }),
  };
}

function roleOf(role: unknown, sink: Sink): Role {
  if (isRole(role)) return role;
  sink.unknown(`role ${String(role)}`);
  return "system";
}

function textBlocks(content: Json | undefined, sink: Sink): Block[] {
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }];
  return listIn(content).flatMap((part) => partBlocks(part, sink));
}

/** Content that is not a string has the parts of OpenAI. */
function partBlocks(part: Json, sink: Sink): Block[] {
  try {
    const [message] = fromOpenAI([{ role: "user", content: [part] }]);
    return message === undefined || typeof message.content === "string" ? [] : [...message.content];
  } catch {
    sink.unknown("part");
    return [{ type: "open-webui_part", part }];
  }
}

function fileBlocks(message: JsonObject, sink: Sink): Block[] {
  return objectsIn(message.files).map((file) => {
    const inner = objectIn(file.file) ?? {};
    const title = filledIn(file.name) ?? filledIn(inner.filename);
    const url = textIn(file.url) ?? "";
    return (
      mediaFromUrl(url, mimeOf(file, inner), title) ?? textDocument(inner, title) ?? lost(file, url, sink)
    );
  });
}

function mimeOf({ type, content_type }: JsonObject, { meta }: JsonObject): string | undefined {
  const named = filledIn(content_type) ?? filledIn(objectIn(meta)?.content_type);
  return named ?? (type === "image" ? undefined : "application/octet-stream");
}

/** For most attached files, the server extracted the text. */
function textDocument({ data }: JsonObject, title: string | undefined): Block | undefined {
  const text = filledIn(objectIn(data)?.content);
  if (text === undefined) return undefined;
  const source = { type: "text", media_type: "text/plain", data: text };
  return { type: "document", source, ...defined({ title }) } as Block;
}

/** Files, collections and searches of the server: their description is kept. */
function lost(file: JsonObject, url: string, sink: Sink): Block {
  sink.unresolved(url.slice(0, 200) || (filledIn(file.id) ?? filledIn(file.name) ?? "file"));
  return foreignBlock("open-webui", filledIn(file.type), file);
}

/**
 * For OpenAI, prompt tokens include cached ones, which are subtracted here.
 * Ollama has other names for the same counts.
 */
function usageOf(usage: JsonObject | undefined): JsonObject | undefined {
  if (usage === undefined) return undefined;
  const cached = numberIn(objectIn(usage.prompt_tokens_details)?.cached_tokens);
  const prompt = numberIn(usage.prompt_tokens) ?? numberIn(usage.prompt_eval_count);
  return someDefined({
    input_tokens: prompt === undefined ? numberIn(usage.input_tokens) : Math.max(0, prompt - (cached ?? 0)),
    output_tokens:
      numberIn(usage.completion_tokens) ?? numberIn(usage.eval_count) ?? numberIn(usage.output_tokens),
    cache_read_input_tokens: cached ?? numberIn(usage.cache_read_input_tokens),
    cache_creation_input_tokens: numberIn(usage.cache_creation_input_tokens),
    reasoning_tokens: numberIn(objectIn(usage.completion_tokens_details)?.reasoning_tokens),
    cost: numberIn(usage.cost),
  });
}
