import { ColloquyError } from "../../../errors.ts";
import { assertKnownBlobs } from "../../auth/records/known-blobs.ts";
import { editMessage, regenerate, resume, sendMessage } from "../../chat/orders.ts";
import { scopedConversation } from "../../chat/scoped-conversation.ts";
import { ATTACHMENTS } from "../../wire/frames.ts";
import { defineMethod, type Method } from "../method.ts";
import { ENTRY, EXPECTED_HEAD, IDEMPOTENCY_KEY, MODEL, REFERENCE, RUN, TEXT } from "./schemas.ts";

const ATTACHMENT = {
  type: "object",
  properties: {
    blob: { type: "string", minLength: 1, maxLength: 128 },
    mediaType: { type: "string", minLength: 1, maxLength: 128 },
    name: { type: "string", minLength: 1, maxLength: 256 },
  },
  required: ["blob", "mediaType"],
  additionalProperties: false,
} as const;

export const CHAT_METHODS: readonly Method[] = [
  defineMethod({
    name: "chat.send",
    permission: "write",
    summary: "Send a message, and answer it",
    params: {
      type: "object",
      properties: {
        conversation: REFERENCE,
        text: TEXT,
        attachments: { type: "array", items: ATTACHMENT, maxItems: ATTACHMENTS.filesMax },
        idempotencyKey: IDEMPOTENCY_KEY,
        model: MODEL,
        expectedHead: EXPECTED_HEAD,
      },
      required: ["text", "idempotencyKey"],
      additionalProperties: false,
    },
    perMinute: 60,
    async handle({ params, principal }, { store, auth, live: { chats } }) {
      const files = params.attachments?.map(({ blob }) => blob) ?? [];
      assertKnownBlobs(auth.records, principal, files);
      return sendMessage({ store, chats }, principal, params);
    },
  }),
  defineMethod({
    name: "chat.edit",
    permission: "write",
    summary: "Replace a message of the user on a new branch, and answer it",
    params: {
      type: "object",
      properties: {
        conversation: REFERENCE,
        entry: ENTRY,
        text: TEXT,
        idempotencyKey: IDEMPOTENCY_KEY,
        model: MODEL,
      },
      required: ["conversation", "entry", "text", "idempotencyKey"],
      additionalProperties: false,
    },
    perMinute: 60,
    handle: ({ params, principal }, { store, live: { chats } }) =>
      editMessage({ store, chats }, principal, params),
  }),
  defineMethod({
    name: "chat.regenerate",
    permission: "write",
    summary: "Answer again, on a new branch",
    params: {
      type: "object",
      properties: { conversation: REFERENCE, entry: ENTRY, idempotencyKey: IDEMPOTENCY_KEY, model: MODEL },
      required: ["conversation", "entry", "idempotencyKey"],
      additionalProperties: false,
    },
    perMinute: 60,
    handle: ({ params, principal }, { store, live: { chats } }) =>
      regenerate({ store, chats }, principal, params),
  }),
  defineMethod({
    name: "chat.resume",
    permission: "write",
    summary: "Complete an answer that was interrupted",
    params: {
      type: "object",
      properties: { conversation: REFERENCE },
      required: ["conversation"],
      additionalProperties: false,
    },
    perMinute: 60,
    handle: async ({ params, principal }, { store, live: { chats } }) => ({
      run: await resume({ store, chats }, principal, params.conversation),
    }),
  }),
  defineMethod({
    name: "chat.stop",
    permission: "write",
    summary: "Stop the answer that is being written, and keep what was streamed",
    params: {
      type: "object",
      properties: { conversation: REFERENCE, run: RUN },
      required: ["conversation"],
      additionalProperties: false,
    },
    perMinute: 120,
    async handle({ params, principal }, { store, live }) {
      const { id } = await scopedConversation(store, principal, params.conversation);
      return { stopped: live.chats.stop(id, params.run) };
    },
  }),
  defineMethod({
    name: "approval.answer",
    // Otherwise a token that may write could order a shell and approve it.
    permission: "admin",
    summary: "Allow or refuse a tool that asks",
    params: {
      type: "object",
      properties: { id: { type: "string", minLength: 1, maxLength: 64 }, allow: { type: "boolean" } },
      required: ["id", "allow"],
      additionalProperties: false,
    },
    perMinute: 120,
    async handle({ params: { id, allow }, principal }, { live: { chats } }) {
      if (principal.scope !== null)
        throw new ColloquyError("FORBIDDEN", "A token with a scope cannot approve tools");
      chats.approvals.answer(id, allow);
      return {};
    },
  }),
];
