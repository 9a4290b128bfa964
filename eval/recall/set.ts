import type { Role } from "../../src/message/types.ts";
import type { JsonObject } from "../../src/util/json.ts";

/** Conversations, and questions with the messages that answer them. */
export interface RecallSet {
  readonly folder: string;
  readonly conversations: readonly SetConversation[];
  readonly questions: readonly Question[];
}

export interface SetConversation {
  readonly id: string;
  readonly title?: string;
  readonly key?: string;
  readonly messages: readonly SetMessage[];
}

export interface SetMessage {
  readonly id: string;
  readonly role: Role;
  readonly at: string;
  /** Who speaks, where people share a conversation. */
  readonly name?: string;
  readonly text: string;
  readonly tools?: readonly ToolCall[];
}

export interface ToolCall {
  readonly name: string;
  readonly input: JsonObject;
  readonly output?: string;
}

export interface Question {
  readonly id: string;
  readonly text: string;
  readonly answers: readonly MessageRef[];
  readonly language: string;
  readonly kind: string;
}

/** A message of the set. */
export interface MessageRef {
  readonly conversation: string;
  readonly message: string;
}

/** A reference as one word, for maps and reports. */
export function refText({ conversation, message }: MessageRef): string {
  return `${conversation}/${message}`;
}

/** The text as it is stored: with the speaker in front, as channels write what people say to each other. */
export function storedText({ name, text }: SetMessage): string {
  return name === undefined ? text : `${name}: ${text}`;
}
