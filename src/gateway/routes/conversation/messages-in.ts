import type { MessageInput } from "../../../message/types.ts";
import type { Json } from "../../../util/json.ts";

/** The messages of a body. The store checks each of them, so their type is a promise that it keeps. */
export function messagesIn({ messages }: { readonly messages: readonly Json[] }): readonly MessageInput[] {
  return messages as readonly unknown[] as readonly MessageInput[];
}
