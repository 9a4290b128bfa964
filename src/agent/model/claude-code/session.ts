import type { ModelUsage } from "../chat-model.ts";

export type SessionEvent =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "thinking"; readonly text: string }
  | { readonly type: "tool"; readonly id: string; readonly name: string }
  /** So many messages are in the store now that were not before. */
  | { readonly type: "mirrored"; readonly messages: number };

export interface SessionAnswer {
  readonly reply: string;
  /** Of this prompt. */
  readonly usage: ModelUsage;
}
