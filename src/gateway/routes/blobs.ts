import { ColloquyError } from "../../errors.ts";
import type { StoredBlobView } from "../wire/rest.ts";
import { defineRoute, type Route } from "./route.ts";
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
    handle: async ({ bytes }, { store }) => {
      const { hash, size } = await store.putBlob(bytes);
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
    handle: async ({ params: { hash = "" }, query }, { store }) => {
      const stream = await store.blob(hash);
      if (stream === undefined) throw new ColloquyError("NOT_FOUND", `There is no blob ${hash}`);
      const shown = SHOWN.find((type) => type === query.type);
      return {
        stream,
        headers: {
          // The bytes of a hash never change.
          "cache-control": "private, max-age=31536000, immutable",
          ...(shown === undefined ? { "content-disposition": "attachment" } : { "content-type": shown }),
        },
      };
    },
  }),
];
