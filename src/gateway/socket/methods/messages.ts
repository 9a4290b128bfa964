import { defined } from "../../../util/json.ts";
import { writtenConversation } from "../../chat/scoped-conversation.ts";
import { assertReferences } from "../../routes/conversation/messages-in.ts";
import { defineMethod, type Method } from "../method.ts";
import { EXPECTED_HEAD, IDEMPOTENCY_KEY, REFERENCE } from "./schemas.ts";

export const MESSAGE_METHODS: readonly Method[] = [
  defineMethod({
    name: "messages.append",
    permission: "write",
    summary: "Append messages durably, without an answer",
    params: {
      type: "object",
      properties: {
        conversation: REFERENCE,
        messages: { type: "array", items: { type: "object" }, minItems: 1, maxItems: 1000 },
        branch: { type: "string", minLength: 1, maxLength: 256 },
        idempotencyKey: IDEMPOTENCY_KEY,
        expectedHead: EXPECTED_HEAD,
      },
      required: ["conversation", "messages"],
      additionalProperties: false,
    },
    perMinute: 6_000_000,
    async handle({ params, principal }, { store, auth }) {
      assertReferences(params.messages, principal, auth);
      const { branch, idempotencyKey: operationId, expectedHead } = params;
      const conversation = await writtenConversation(store, principal, params.conversation);
      return conversation.append(params.messages, defined({ branch, operationId, expectedHead }));
    },
  }),
];
