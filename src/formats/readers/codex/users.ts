/**
 * Prompts of the user, and messages that Codex wrote in the user's name.
 *
 * A file contains a prompt twice, as an item for the model and as an event for
 * display, in either order. Context is only an item.
 */
import type { Message } from "../../../message/types.ts";
import type { Json } from "../../../util/json.ts";
import { listIn, objectsIn, textIn } from "../../../util/values.ts";
import { madeId } from "../../contract/ids.ts";
import type { SourceRecord } from "../../contract/reader.ts";
import type { Turn } from "./chain.ts";
import { plainText } from "./content.ts";

type Content = Message["content"];

/** An item and its event, one of them so far, or an item that needs no event. */
type Seen = "item" | "event" | "both";

export interface HeldUser {
  readonly records: SourceRecord[];
  readonly at: number | undefined;
  content: Content;
  seen: Seen;
  /** An event says that it is context, not a prompt. */
  injected: boolean;
}

/** A prompt that was added at the end of a pass. Its other half may still come. */
export interface OpenUser extends Turn {
  /** Fingerprints of the texts that identify the other half. */
  readonly prints: readonly string[];
  seen: Seen;
}

export function savedUser({ before, prompt, prints, seen }: OpenUser): Json {
  return { before, prompt, prints, seen };
}

export function openUsers(saved: Json | undefined): OpenUser[] {
  return objectsIn(saved).map(({ before, prompt, prints, seen }) => ({
    before: textIn(before) ?? null,
    prompt: textIn(prompt) ?? "",
    prints: listIn(prints).flatMap((print) => textIn(print) ?? []),
    seen: seen === "item" || seen === "event" ? seen : "both",
  }));
}

/** Codex puts a tag around each image of a prompt, and the event for display names its file, or neither. */
const IMAGE_TAG = /^(?:<\/?image\b[^>]*>|\[image: [^\]]*\])$/;
const IMAGE_TAGS = /<\/?image\b[^>]*>|\[image: [^\]]*\]|\s+/g;

/** Whether an event displays the item. */
export function repeats(item: Content, event: Content): boolean {
  const shown = textsOf(event);
  return textsOf(item).some((text) => shown.includes(text));
}

/** Its text, with and without the tags of images. */
function textsOf(content: Content): string[] {
  const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content;
  const texts = blocks.flatMap(({ type, text }) =>
    type === "text" && typeof text === "string" ? [text] : [],
  );
  return [texts.join(""), texts.filter((text) => !IMAGE_TAG.test(text.trim())).join("")];
}

export function printsOf(content: Content): string[] {
  return [...new Set(textsOf(content))].map((text) => madeId(text));
}

/** Whether the content is the other half of a prompt that was added. */
export function completes({ prints }: OpenUser, content: Content): boolean {
  return printsOf(content).some((print) => prints.includes(print));
}

/** Equal for an item and the event that repeats it, so the chain advances the same way, whichever came first. */
export function userKey(content: Content): string {
  return plainText(content).replace(IMAGE_TAGS, "");
}

/** Messages that Codex writes in the user's name usually begin with a tag, and an image is in one, too. */
export function looksInjected(content: Content): boolean {
  return /^\s*(?:<(?!image\b)|# AGENTS\.md instructions)/.test(plainText(content));
}
