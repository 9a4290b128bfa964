import { ColloquyError } from "../../../errors.ts";
import { defined } from "../../../util/json.ts";
import { defineRoute, type Route } from "../route.ts";
import { ENTRY, MESSAGES, NAME, NAME_OR_NULL, RECEIPT } from "../schemas.ts";
import { IDEMPOTENCY, operationIdOf } from "./conditions.ts";
import { conversationOf } from "./conversation-view.ts";
import { messagesIn } from "./messages-in.ts";

const PATH = "/api/v1/conversations/{id}/entries/{entry}";
const EDIT_MAX = 16 * 1024 * 1024;

export const ENTRY_ROUTES: readonly Route[] = [
  defineRoute({
    method: "GET",
    path: PATH,
    permission: "read",
    scoped: "conversation",
    summary: "One entry, on any branch",
    answer: ENTRY,
    handle: async (request, gateway) => {
      const { entry: id = "" } = request.params;
      const entry = await (await conversationOf(request, gateway)).entry(id);
      if (entry === undefined) throw new ColloquyError("NOT_FOUND", `There is no entry ${id}`);
      return { json: entry };
    },
  }),
  defineRoute({
    method: "POST",
    path: `${PATH}/edit`,
    permission: "write",
    scoped: "conversation",
    summary: "Add another version of a message, on a new branch that is checked out",
    headers: IDEMPOTENCY,
    body: { type: "object", properties: { messages: MESSAGES, name: NAME }, required: ["messages"] },
    bodyMax: EDIT_MAX,
    status: 201,
    answer: { type: "object" },
    handle: async (request, gateway) => {
      const { params, body } = request;
      const conversation = await conversationOf(request, gateway);
      const options = defined({ name: body.name, operationId: operationIdOf(request) });
      return { json: await conversation.edit(params.entry ?? "", messagesIn(request, gateway), options) };
    },
  }),
  defineRoute({
    method: "PUT",
    path: `${PATH}/label`,
    permission: "write",
    scoped: "conversation",
    summary: "Label an entry; null removes the label",
    body: { type: "object", properties: { label: NAME_OR_NULL }, required: ["label"] },
    answer: ENTRY,
    handle: async (request, gateway) => {
      const conversation = await conversationOf(request, gateway);
      return { json: await conversation.label(request.params.entry ?? "", request.body.label) };
    },
  }),
  defineRoute({
    method: "POST",
    path: `${PATH}/redact`,
    permission: "admin",
    scoped: "conversation",
    summary: "Permanently erase the content of an entry",
    answer: RECEIPT,
    handle: async (request, gateway) => {
      const conversation = await conversationOf(request, gateway);
      return { json: await conversation.redact(request.params.entry ?? "") };
    },
  }),
];
