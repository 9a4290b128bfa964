import type { MessageInput } from "../../../message/types.ts";
import { referencesIn } from "../../../store/blobs/blob-parts.ts";
import type { Json } from "../../../util/json.ts";
import type { Principal } from "../../auth/principal.ts";
import { assertKnownBlobs } from "../../auth/records/known-blobs.ts";
import type { GatewayContext } from "../../context.ts";

/** The messages of a body. The store checks each of them, so their type is a promise that it keeps. */
export function messagesIn(
  {
    body,
    principal,
  }: { readonly body: { readonly messages: readonly Json[] }; readonly principal: Principal },
  { auth }: GatewayContext,
): readonly MessageInput[] {
  const messages = body.messages as readonly unknown[] as readonly MessageInput[];
  assertReferences(messages, principal, auth);
  return messages;
}

/** Throws if a message refers to a file that the token may not see. */
export function assertReferences(
  messages: readonly MessageInput[],
  principal: Principal,
  { records }: GatewayContext["auth"],
): void {
  if (principal.scope === null) return;
  const references = messages.flatMap((message) => referencesIn(message as object));
  assertKnownBlobs(
    records,
    principal,
    references.map(({ hash }) => hash),
  );
}
