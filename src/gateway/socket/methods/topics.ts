import { ColloquyError, invalid, unavailable } from "../../../errors.ts";
import { isoTime } from "../../../util/time.ts";
import type { ScopedConversation } from "../../auth/principal.ts";
import { scopedConversation } from "../../chat/scoped-conversation.ts";
import { LIST_TOPIC } from "../hub.ts";
import { defineMethod, type Method } from "../method.ts";

const TOPIC = { type: "string", minLength: 1, maxLength: 256 } as const;
const TOPICS_MAX = 200;
const PREFIX = "conversation:";

export const TOPIC_METHODS: readonly Method[] = [
  defineMethod({
    name: "ping",
    permission: "read",
    summary: "The time of the gateway",
    params: { type: "object", properties: {}, additionalProperties: false },
    perMinute: 6000,
    handle: async () => ({ at: isoTime(Date.now()) }),
  }),
  defineMethod({
    name: "subscribe",
    permission: "read",
    summary: "Get the events of a topic, from now on or after the last one that was seen",
    params: {
      type: "object",
      properties: {
        topic: TOPIC,
        after: { type: "integer", minimum: 0 },
        stream: { type: "string", minLength: 1, maxLength: 64 },
        text: { enum: ["deltas", "chunks"] },
      },
      required: ["topic"],
      additionalProperties: false,
    },
    perMinute: 12_000,
    async handle({ params, principal, connection }, { store, live }) {
      const { topic, after, stream, text = "deltas" } = params;
      if (!connection.topics.has(topic) && connection.topics.size >= TOPICS_MAX) {
        throw new ColloquyError("RATE_LIMITED", `A connection can have at most ${TOPICS_MAX} topics`);
      }
      const id = conversationIn(topic);
      const isNew = !connection.topics.has(topic);
      // Now, so that an unsubscribe that overtakes it is seen, and that many at once are counted.
      connection.topics.add(topic);
      let subject: ScopedConversation | undefined;
      try {
        const conversation = id === undefined ? undefined : await scopedConversation(store, principal, id);
        subject = await conversation?.info();
      } catch (error) {
        if (isNew) connection.topics.delete(topic);
        throw error;
      }
      // It would listen for ever.
      if (!connection.isOpen) throw unavailable("The connection is closed");
      if (!connection.topics.has(topic)) return { stream: live.hub.stream, n: 0, running: null, waiting: [] };
      // The snapshot and the number belong together: nothing may come between them.
      const running = id === undefined ? null : live.running(id);
      const waiting = id === undefined ? [] : live.chats.waiting(id);
      const n = live.hub.subscribe(connection, { topic, subject, text, after, stream });
      if (id !== undefined) live.followers.look(id);
      return { stream: live.hub.stream, n, running, waiting };
    },
  }),
  defineMethod({
    name: "unsubscribe",
    permission: "read",
    summary: "Get no more events of a topic",
    params: {
      type: "object",
      properties: { topic: TOPIC },
      required: ["topic"],
      additionalProperties: false,
    },
    perMinute: 12_000,
    async handle({ params: { topic }, connection }, { live }) {
      live.hub.unsubscribe(connection, topic);
      connection.topics.delete(topic);
      return {};
    },
  }),
];

/** `undefined` for the list of all conversations. */
function conversationIn(topic: string): string | undefined {
  if (topic === LIST_TOPIC) return undefined;
  const id = topic.slice(PREFIX.length);
  // A session key has a colon; only ids name a topic.
  if (topic.startsWith(PREFIX) && id !== "" && !id.includes(":")) return id;
  throw invalid("A topic is conversations or conversation:<id>", "topic");
}
