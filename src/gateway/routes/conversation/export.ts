import { exportName } from "../../../formats/export/export-file.ts";
import { EXPORT_FORMATS, type ExportFormat, exportConversation } from "../../../formats/export/index.ts";
import { FILE_POLICY } from "../../http/security-headers.ts";
import { defineRoute, type Route } from "../route.ts";
import { FLAG, NAME } from "../schemas.ts";
import { conversationOf } from "./conversation-view.ts";

const FORMATS = Object.keys(EXPORT_FORMATS) as ExportFormat[];
const TYPES: Readonly<Record<string, string>> = {
  ".md": "text/markdown; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".json": "application/json",
  ".jsonl": "application/x-ndjson",
};

export const EXPORT_ROUTES: readonly Route[] = [
  defineRoute({
    method: "GET",
    path: "/api/v1/conversations/{id}/export",
    permission: "read",
    scoped: "conversation",
    summary: "A conversation in another format, as a file",
    query: {
      type: "object",
      properties: {
        to: { enum: FORMATS },
        branch: NAME,
        allBranches: FLAG,
        tools: FLAG,
        thinking: FLAG,
        redact: FLAG,
      },
      required: ["to"],
    },
    answer: "application/octet-stream",
    handle: async (request, gateway) => {
      const conversation = await conversationOf(request, gateway);
      const { to } = request.query;
      const stream = await begun(exportConversation(gateway.store, conversation.id, request.query));
      return {
        stream,
        headers: {
          "content-type": TYPES[EXPORT_FORMATS[to].extension] ?? "application/octet-stream",
          "content-security-policy": FILE_POLICY,
          // Never shown as a page of this gateway.
          "content-disposition": `attachment; filename="${exportName(await conversation.info(), to)}"`,
        },
      };
    },
  }),
];

/** Reads the first piece, so that what is wrong becomes an error and not a torn file. */
async function begun(pieces: AsyncIterable<string>): Promise<AsyncIterable<string>> {
  const iterator = pieces[Symbol.asyncIterator]();
  const first = await iterator.next();
  return (async function* () {
    if (first.done !== true) yield first.value;
    yield* { [Symbol.asyncIterator]: () => iterator };
  })();
}
