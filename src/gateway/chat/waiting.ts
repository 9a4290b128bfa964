/**
 * Messages that were sent during an answer. Each is a job until that answer has ended, and then joins the conversation
 * after it: the log has every answer behind its own question.
 */
import { ColloquyError } from "../../errors.ts";
import type { MessageInput } from "../../message/types.ts";
import type { Conversation } from "../../store/conversation.ts";
import type { Job } from "../../store/jobs/jobs.ts";
import type { Store } from "../../store/store.ts";
import { defined } from "../../util/json.ts";

/** A message of the page, under the id that it has in the conversation. */
export interface SentMessage {
  readonly message: MessageInput & { readonly id: string };
  readonly operationId: string;
  /** Instead of the model of the conversation. */
  readonly model: string | undefined;
  readonly lookup: "all" | "session";
}

const QUEUE = "web-waiting";
/** A job has at most 64 KB. */
const BYTES_MAX = 60 * 1024;
/** As long as a run waits for the one before it. */
const WAIT_MS = 600_000;

/** Durable when this resolves. The same message can be put again. */
export async function putWaiting(store: Store, conversation: string, sent: SentMessage): Promise<void> {
  const { message, operationId, model, lookup } = sent;
  const { id, ...words } = message;
  const kept = store.redaction?.value(words) ?? words;
  const data = { ...defined({ model }), operationId, lookup, message: JSON.stringify(kept) };
  if (Buffer.byteLength(JSON.stringify(data)) > BYTES_MAX) {
    throw new ColloquyError("CONFLICT", "An answer is being written. Send a message of this size after it", {
      field: "text",
    });
  }
  const known = await store.jobs.get(QUEUE, id);
  if (known === undefined) await store.jobs.change({ put: [{ queue: QUEUE, id, conversation, data }] });
  else if (known.data.message !== data.message) {
    throw new ColloquyError("CONFLICT", "Another message was sent with this idempotency key", {
      field: "idempotencyKey",
    });
  }
}

/** Those of a store, in the order in which they were sent. */
export async function* waitingMessages(
  store: Store,
): AsyncGenerator<{ readonly conversation: string; readonly sent: SentMessage }> {
  for await (const { id, conversation, data } of store.jobs.list({ queue: QUEUE })) {
    if (conversation !== null) yield { conversation, sent: sentOf(id, data) };
  }
}

function sentOf(id: string, data: Job["data"]): SentMessage {
  const words: MessageInput = JSON.parse(String(data.message));
  return {
    message: { ...words, id },
    operationId: String(data.operationId),
    model: typeof data.model === "string" ? data.model : undefined,
    lookup: data.lookup === "all" ? "all" : "session",
  };
}

/** The message follows what another process may be writing, or has left unfinished. */
export async function joinConversation(
  store: Store,
  conversation: Conversation,
  { message, operationId }: SentMessage,
): Promise<void> {
  // Words that were accepted must not wait forever: after this time they join where the conversation is.
  const lease = await conversation.lease({ waitMs: WAIT_MS }).catch(() => undefined);
  await lease?.release();
  // Opening it seals an answer that was cut off.
  await store.get(conversation.id);
  await conversation.append(message, { operationId });
  await store.jobs.change({ remove: [{ queue: QUEUE, id: message.id }] });
}
