import type { Entry } from "../../../message/types.ts";
import type { EntryQuery, Listing } from "../../../store/index.ts";
import { defined } from "../../../util/json.ts";
import type { AppendedMessages } from "../../wire/rest.ts";
import { defineRoute, type Route, type RouteAnswer } from "../route.ts";
import { CURSOR, ENTRY, FLAG, LIMIT, listOf, MESSAGES, NAME, objectOf } from "../schemas.ts";
import { CONDITIONS, etagOf, IDEMPOTENCY, ifMatched, operationIdOf } from "./conditions.ts";
import { conversationOf } from "./conversation-view.ts";
import { messagesIn } from "./messages-in.ts";

const PATH = "/api/v1/conversations/{id}";
const APPEND_MAX = 16 * 1024 * 1024;
/** A page ends before it exceeds this, unless a single entry does. */
const PAGE_BYTES_MAX = 8 * 1024 * 1024;

const PAGE_QUERY = {
  type: "object",
  properties: {
    last: LIMIT,
    before: NAME,
    after: NAME,
    limit: LIMIT,
    cursor: CURSOR,
    branch: NAME,
    all: FLAG,
    blobs: { enum: ["inline", "references"] },
  },
} as const;

export const MESSAGE_ROUTES: readonly Route[] = [
  defineRoute({
    method: "GET",
    path: `${PATH}/messages`,
    permission: "read",
    scoped: "conversation",
    summary: "A page of messages in ascending order",
    query: PAGE_QUERY,
    answer: listOf(ENTRY),
    handle: async (request, gateway) => {
      const conversation = await conversationOf(request, gateway);
      return { text: await conversation.messagesText(bounded(request.query)) };
    },
  }),
  defineRoute({
    method: "GET",
    path: `${PATH}/entries`,
    permission: "read",
    scoped: "conversation",
    summary: "A page of entries of every kind in ascending order",
    query: PAGE_QUERY,
    answer: listOf(ENTRY),
    handle: async (request, gateway) =>
      pageOf((await conversationOf(request, gateway)).entries(bounded(request.query))),
  }),
  defineRoute({
    method: "POST",
    path: `${PATH}/messages`,
    permission: "write",
    scoped: "conversation",
    summary: "Append messages durably, all or none",
    headers: { ...IDEMPOTENCY, ...CONDITIONS },
    body: { type: "object", properties: { messages: MESSAGES, branch: NAME }, required: ["messages"] },
    bodyMax: APPEND_MAX,
    status: 201,
    answer: objectOf({ entries: { type: "array", items: ENTRY }, head: { type: "string" }, replayed: FLAG }),
    handle: async (request, gateway) => {
      const conversation = await conversationOf(request, gateway);
      const options = { branch: request.body.branch, operationId: operationIdOf(request) };
      const json: AppendedMessages = await ifMatched(request, (expectedHead) =>
        conversation.append(messagesIn(request, gateway), defined({ ...options, expectedHead })),
      );
      return { status: json.replayed ? 200 : 201, headers: { etag: etagOf(json.head) }, json };
    },
  }),
];

async function pageOf(page: Listing<Entry>): Promise<RouteAnswer> {
  const { items, cursor } = await page;
  return { json: { items, cursor } };
}

function bounded(query: EntryQuery): EntryQuery {
  return { maxBytes: PAGE_BYTES_MAX, ...query };
}
