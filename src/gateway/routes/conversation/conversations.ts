import { ColloquyError } from "../../../errors.ts";
import type { ConversationQuery, ListedConversation, Page } from "../../../store/index.ts";
import { isInScope, type Principal, type ScopedConversation } from "../../auth/principal.ts";
import type { GatewayContext } from "../../context.ts";
import type { Scope } from "../../wire/auth.ts";
import type { CreateConversation } from "../../wire/rest.ts";
import { defineRoute, type Route } from "../route.ts";
import {
  CURSOR,
  FLAG,
  LIMIT,
  listOf,
  NAME,
  NAME_OR_NULL,
  objectOf,
  RECEIPT,
  SUMMARY,
  TIME,
} from "../schemas.ts";
import { checkModel } from "./answered-by.ts";
import { conversationOf, detailsOf, noConversation, rowOf, rowWithWords } from "./conversation-view.ts";

const PATH = "/api/v1/conversations";
const NAMES = { type: "array", items: NAME } as const;

export const CONVERSATION_ROUTES: readonly Route[] = [
  defineRoute({
    method: "GET",
    path: PATH,
    permission: "read",
    scoped: "filters",
    summary: "Conversations by last activity, newest first",
    query: {
      type: "object",
      properties: {
        trash: FLAG,
        channel: NAME,
        keyPrefix: NAME,
        title: NAME,
        model: NAME,
        forked: FLAG,
        after: TIME,
        before: TIME,
        words: FLAG,
        limit: LIMIT,
        cursor: CURSOR,
      },
    },
    answer: listOf(SUMMARY),
    handle: async ({ query: { words, ...query }, principal }, gateway) => {
      const { items, cursor } = await listed(
        gateway,
        { ...query, firstWords: words === true, lastWords: words === true },
        principal.scope,
      );
      const show = words === true ? rowWithWords : rowOf;
      return { json: { items: items.map((info) => show(info, gateway)), cursor } };
    },
  }),
  defineRoute({
    method: "GET",
    path: "/api/v1/facets",
    permission: "read",
    summary: "Channels and models that conversations have, to filter them by",
    answer: objectOf({ channels: NAMES, models: NAMES }),
    handle: async (_, { store }) => ({ json: await store.facets() }),
  }),
  defineRoute({
    method: "POST",
    path: PATH,
    permission: "write",
    scoped: "filters",
    summary: "Create a conversation",
    body: {
      type: "object",
      properties: { id: NAME, key: NAME, title: NAME, channel: NAME, model: NAME },
    },
    status: 201,
    answer: SUMMARY,
    handle: async ({ body, principal }, gateway) => {
      assertCreatable(body, principal, gateway);
      const conversation = await gateway.store.create(body);
      const info = await conversation.info();
      // With an id, it may have existed before.
      if (!isInScope(principal.scope, info)) throw noConversation(info.id);
      return { json: await detailsOf(info, gateway), headers: { location: `${PATH}/${info.id}` } };
    },
  }),
  defineRoute({
    method: "GET",
    path: `${PATH}/{id}`,
    permission: "read",
    scoped: "conversation",
    summary: "One conversation, by id or session key; by id also from the trash",
    answer: SUMMARY,
    handle: async ({ params: { id = "" } }, gateway) => {
      const info = await gateway.store.info(id);
      if (info === undefined) throw noConversation(id);
      return { json: await detailsOf(info, gateway) };
    },
  }),
  defineRoute({
    method: "PATCH",
    path: `${PATH}/{id}`,
    permission: "write",
    scoped: "conversation",
    summary: "Change title, channel, model or profile; null removes it",
    body: {
      type: "object",
      properties: {
        title: NAME_OR_NULL,
        channel: NAME_OR_NULL,
        model: NAME_OR_NULL,
        profileId: NAME_OR_NULL,
      },
    },
    answer: SUMMARY,
    handle: async (request, gateway) => {
      const conversation = await conversationOf(request, gateway);
      await checkModel(request.body.model, gateway);
      return { json: await detailsOf(await conversation.update(request.body), gateway) };
    },
  }),
  defineRoute({
    method: "DELETE",
    path: `${PATH}/{id}`,
    permission: "write",
    scoped: "conversation",
    summary: "Move a conversation to the trash",
    answer: SUMMARY,
    handle: async ({ params: { id = "" } }, gateway) => ({
      json: rowOf(await gateway.store.delete(id), gateway),
    }),
  }),
  defineRoute({
    method: "POST",
    path: `${PATH}/{id}/restore`,
    permission: "write",
    scoped: "conversation",
    summary: "Restore a conversation from the trash",
    answer: SUMMARY,
    handle: async ({ params: { id = "" } }, gateway) => ({
      json: rowOf(await gateway.store.restore(id), gateway),
    }),
  }),
  defineRoute({
    method: "POST",
    path: `${PATH}/{id}/purge`,
    permission: "admin",
    scoped: "conversation",
    summary: "Permanently remove a conversation that is in the trash",
    answer: RECEIPT,
    handle: async ({ params: { id = "" } }, { store }) => ({ json: await store.purge(id) }),
  }),
];

/** For a scope, so many pages are looked through for one with something in it. */
const PAGES_MAX = 10;

/** A page. That of a scope can be shorter than its limit, or empty before the last one. */
async function listed(
  { store }: GatewayContext,
  query: ConversationQuery,
  scope: Scope | null,
): Promise<Page<ListedConversation>> {
  let page = await store.list(query);
  let items = page.items.filter((info) => isInScope(scope, info));
  for (let read = 1; items.length === 0 && page.cursor !== null && read < PAGES_MAX; read++) {
    page = await store.list({ ...query, cursor: page.cursor });
    items = page.items.filter((info) => isInScope(scope, info));
  }
  return { items, cursor: page.cursor };
}

function assertCreatable(
  { id = "", key, channel }: CreateConversation,
  { scope }: Principal,
  gateway: GatewayContext,
): void {
  if (scope === null) return;
  const resolved = key === undefined ? null : gateway.store.resolveKey(key);
  const planned: ScopedConversation = {
    id: id.toLowerCase(),
    key: resolved,
    channel: channel ?? resolved?.split(":", 1)[0] ?? null,
  };
  if (isInScope(scope, planned)) return;
  throw new ColloquyError("FORBIDDEN", "This token is limited to other conversations");
}
