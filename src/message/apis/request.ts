/** What the requests of all model APIs have in common. */

import { isJsonObject, type Json, type JsonObject, stringOf } from "../../util/json.ts";
import { sha256Hex } from "../../util/sha256.ts";
import { blocksOf } from "../blocks.ts";
import { textOf } from "../text.ts";
import type { Block, Message } from "../types.ts";
import { placeholder } from "./foreign.ts";

/** A system prompt: a string, or text blocks as Anthropic takes them. */
export type SystemPrompt = string | readonly object[];

/** The text of a system prompt; `""` without one. */
function systemText(system: SystemPrompt | undefined): string {
  if (system === undefined || typeof system === "string") return system ?? "";
  return system.map((block) => stringOf((block as JsonObject).text)).join("\n\n");
}

/** System messages at the start belong in the system prompt, where an API has a place for it. */
export function liftSystem(messages: readonly Message[]): {
  readonly lifted: readonly string[];
  readonly rest: readonly Message[];
} {
  const first = messages.findIndex(({ role }) => role !== "system");
  const count = first === -1 ? messages.length : first;
  return { lifted: messages.slice(0, count).map((message) => textOf(message)), rest: messages.slice(count) };
}

/** The system prompt and lifted system messages as one string; `undefined` when there is nothing to say. */
export function joinSystem(system: SystemPrompt | undefined, lifted: readonly string[]): string | undefined {
  const texts = [systemText(system), ...lifted].filter((text) => text !== "");
  return texts.length === 0 ? undefined : texts.join("\n\n");
}

/** An image or document in a form that an API can take. */
export type Media =
  | { readonly form: "base64"; readonly mediaType: string; readonly data: string }
  | { readonly form: "url"; readonly mediaType: string | undefined; readonly url: string }
  | { readonly form: "text"; readonly text: string };

/**
 * What an image or document block refers to, a document of text as that text; `undefined` if it cannot be sent, such as
 * a file on another machine.
 */
export function mediaOf({ type: kind, source }: JsonObject): Media | undefined {
  if (!isJsonObject(source)) return undefined;
  const { type, data, url, content, media_type: given } = source;
  const mediaType = typeof given === "string" ? given : undefined;
  if (type === "text" && typeof data === "string") return { form: "text", text: data };
  if (type === "content" && content !== undefined) return { form: "text", text: resultText(content) };
  if (type === "url" && typeof url === "string") return { form: "url", mediaType, url };
  if (type !== "base64" || typeof data !== "string" || mediaType === undefined) return undefined;
  const isText = kind === "document" && /^text\/|json$/.test(mediaType);
  return isText
    ? { form: "text", text: Buffer.from(data, "base64").toString() }
    : { form: "base64", mediaType, data };
}

export function isMediaBlock({ type }: Block): boolean {
  return type === "image" || type === "document";
}

/** Base64 data as a `data:` URL. */
export function dataUrl(mediaType: string, data: string): string {
  return `data:${mediaType};base64,${data}`;
}

const DATA_URL = /^data:([^;,]+);base64,(.*)$/s;

/** The source of a block for a `data:` URL of Base64; `undefined` for any other text. */
export function dataSource(url: string): { type: "base64"; media_type: string; data: string } | undefined {
  const [, media_type, data] = DATA_URL.exec(url) ?? [];
  return media_type === undefined || data === undefined ? undefined : { type: "base64", media_type, data };
}

/** The text of a refusal counts as text where an API has no such block. */
export function spokenText(block: Block): string | undefined {
  const text = block.type === "refusal" ? block.refusal : block.type === "text" ? block.text : undefined;
  return typeof text === "string" && text.trim() !== "" ? text : undefined;
}

/** Text of a tool result, also that of its documents; other media are named in brackets. */
export function resultText(content: Json | undefined): string {
  if (typeof content === "string") return content;
  const blocks = Array.isArray(content) ? content.filter(isJsonObject) : [];
  return blocks.map((block) => stringOf(block.text) || mediaText(block) || placeholder([block])).join("\n");
}

/** The text of a document that has any. */
export function mediaText(block: JsonObject): string | undefined {
  const media = mediaOf(block);
  return media?.form === "text" ? media.text : undefined;
}

/** The name of every tool call by its id: some APIs repeat it beside the result. */
export function toolNames(messages: readonly Message[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const message of messages)
    for (const block of blocksOf(message))
      if (block.type === "tool_use") names.set(stringOf(block.id), stringOf(block.name));
  return names;
}

const HASH_CHARS = 8;

/**
 * A tool's name or a call's id in the characters and length that APIs accept.
 * Other providers use dots and colons. A hash keeps long ones apart.
 */
export function apiName(name: Json | undefined, charsMax: number): string {
  const plain = String(name ?? "").replace(/[^a-zA-Z0-9_-]/g, "_");
  if (plain.length <= charsMax) return plain;
  const hash = sha256Hex(plain).slice(0, HASH_CHARS);
  return `${plain.slice(0, charsMax - HASH_CHARS - 1)}_${hash}`;
}
