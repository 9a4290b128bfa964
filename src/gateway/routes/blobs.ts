import { ColloquyError } from "../../errors.ts";
import type { Auth } from "../auth/auth.ts";
import type { Principal } from "../auth/principal.ts";
import type { GatewayContext } from "../context.ts";
import { FILE_POLICY } from "../http/security-headers.ts";
import type { StoredBlobView } from "../wire/rest.ts";
import { conversationOf } from "./conversation/conversation-view.ts";
import { defineRoute, type Route, type RouteAnswer } from "./route.ts";
import { NAME, objectOf } from "./schemas.ts";

const BLOB_MAX = 64 * 1024 * 1024;
/** Types that a browser shows without running anything. Never HTML or SVG, which can contain scripts. */
const SHOWN = ["image/png", "image/jpeg", "image/gif", "image/webp", "image/avif"] as const;

export const BLOB_ROUTES: readonly Route[] = [
  defineRoute({
    method: "POST",
    path: "/api/v1/blobs",
    permission: "write",
    // It returns nothing that was not sent.
    scoped: "filters",
    summary: "Store bytes once, by their hash",
    bytes: true,
    bodyMax: BLOB_MAX,
    status: 201,
    answer: objectOf({ hash: { type: "string" }, size: { type: "integer" } }),
    handle: async ({ bytes, principal }, { store, auth }) => {
      const { hash, size } = await store.putBlob(bytes);
      await noteBlob(auth, principal, hash);
      return { json: { hash, size } satisfies StoredBlobView };
    },
  }),
  defineRoute({
    method: "GET",
    path: "/api/v1/blobs/{hash}",
    permission: "read",
    summary: "The bytes of a blob; type shows an image, anything else is a download",
    query: { type: "object", properties: { type: NAME } },
    answer: "application/octet-stream",
    handle: ({ params: { hash = "" }, query }, gateway) => blobAnswer(gateway, hash, query.type),
  }),
  defineRoute({
    method: "GET",
    path: "/api/v1/conversations/{id}/entries/{entry}/blobs/{hash}",
    permission: "read",
    scoped: "conversation",
    summary: "The bytes of a blob that the entry refers to; type shows an image, anything else is a download",
    query: { type: "object", properties: { type: NAME } },
    answer: "application/octet-stream",
    handle: async (request, gateway) => {
      const { entry: id = "", hash = "" } = request.params;
      const conversation = await conversationOf(request, gateway);
      const entry = await conversation.entry(id, { blobs: "references" });
      if (entry?.blobs?.some((blob) => blob.hash === hash) !== true) throw noBlob();
      await noteBlob(gateway.auth, request.principal, hash);
      return blobAnswer(gateway, hash, request.query.type);
    },
  }),
];

/** A token with a scope may refer to the blobs that it has seen. Others may see every blob. */
async function noteBlob({ changes }: Auth, { scope, source }: Principal, hash: string): Promise<void> {
  if (scope !== null) await changes.make("noteBlob", source, hash);
}

async function blobAnswer({ store }: GatewayContext, hash: string, type?: string): Promise<RouteAnswer> {
  const stream = await store.blob(hash);
  if (stream === undefined) throw noBlob();
  const shown = SHOWN.find((known) => known === type);
  return {
    stream,
    headers: {
      // The bytes of a hash never change.
      "cache-control": "private, max-age=31536000, immutable",
      "content-security-policy": FILE_POLICY,
      ...(shown === undefined ? { "content-disposition": "attachment" } : { "content-type": shown }),
    },
  };
}

function noBlob(): ColloquyError {
  return new ColloquyError("NOT_FOUND", "There is no such blob");
}
