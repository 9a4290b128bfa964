/**
 * What people order in a chat. The words are durable before an order is confirmed; the answer is a run that has the id
 * of its message, so a repeated order finds what the first one did.
 */
import { unfinishedRun } from "../../agent/loop/agent-loop.ts";
import { isRealUser } from "../../context/item.ts";
import { ColloquyError, invalid } from "../../errors.ts";
import { textOf } from "../../message/text.ts";
import { firstWordsOf } from "../../message/title.ts";
import type { Entry, MessageEntry } from "../../message/types.ts";
import type { Conversation } from "../../store/conversation.ts";
import type { Store } from "../../store/store.ts";
import { defined } from "../../util/json.ts";
import { uuidFromHash } from "../../util/uuid.ts";
import { isInScope, type Principal } from "../auth/principal.ts";
import type { Accepted, Methods } from "../wire/frames.ts";
import type { Chats } from "./chats.ts";
import { editName } from "./edit-name.ts";
import { editedContent, messageContent } from "./message-content.ts";
import { scopedConversation } from "./scoped-conversation.ts";
import { joinConversation, putWaiting, type SentMessage, waitingMessages } from "./waiting.ts";

export interface ChatDesk {
  readonly store: Store;
  readonly chats: Chats;
}

type Params<Name extends keyof Methods> = Methods[Name]["params"];

export async function sendMessage(
  { store, chats }: ChatDesk,
  principal: Principal,
  params: Params<"chat.send">,
): Promise<Accepted> {
  chats.assertOpen();
  const { text, attachments, idempotencyKey: operationId, expectedHead, model } = params;
  const content = await messageContent(store, text, attachments);
  const conversation =
    params.conversation === undefined
      ? await newConversation(store, principal, params)
      : await scopedConversation(store, principal, params.conversation);
  const { id } = conversation;
  const entry = uuidFromHash(JSON.stringify(["send", id, operationId]));
  const provenance = { channel: "web", user: principal.user };
  const message = { id: entry, role: "user", content, provenance } as const;
  const isStored = (await conversation.entry(entry)) !== undefined;
  const isAnswering = (await conversation.turn()) !== undefined;
  // From here to the order there is no pause: of two messages that are sent at once, one is first.
  if (isStored || !(isAnswering || chats.isRunning(id))) {
    const stored = conversation.append(message, { operationId, ...defined({ expectedHead }) });
    const isAccepted = stored.then(
      () => true,
      () => false,
    );
    orderAnswer(chats, principal, conversation, entry, entry, model, () => isAccepted);
    await stored;
  } else {
    const sent = { message, operationId, model, lookup: lookupOf(principal) };
    const kept = putWaiting(store, id, sent);
    orderWaiting({ store, chats }, conversation, sent, kept);
    await kept;
    chats.announceWaiting(id, entry);
  }
  return { conversation: id, run: entry, entry };
}

/** After those that were ordered before. */
function orderWaiting(
  { store, chats }: ChatDesk,
  conversation: Conversation,
  sent: SentMessage,
  kept: Promise<void>,
): void {
  const { model, lookup } = sent;
  const { id: entry } = sent.message;
  const prepare = async (): Promise<boolean> => {
    const isKept = await kept.then(
      () => true,
      () => false,
    );
    if (isKept) await joinConversation(store, conversation, sent);
    return isKept;
  };
  chats.order({
    ...{ run: entry, conversation, entry, model, lookup, prepare },
    words: textOf(sent.message),
    work: (loop, options) => loop.answer(entry, { ...options, operationId: entry }),
  });
}

/** Answer what was accepted before the gateway was stopped or killed. */
export async function answerWaiting(desk: ChatDesk): Promise<void> {
  for await (const { conversation: id, sent } of waitingMessages(desk.store)) {
    const conversation = await desk.store.get(id);
    if (conversation !== undefined) orderWaiting(desk, conversation, sent, Promise.resolve());
  }
}

/** The same order of the same user has the same conversation, so that a retry does not make a second one. */
async function newConversation(
  store: Store,
  { user, scope }: Principal,
  { text, idempotencyKey, model }: Params<"chat.send">,
): Promise<Conversation> {
  const key = `web:${uuidFromHash(JSON.stringify(["web", user, idempotencyKey]))}`;
  if (!isInScope(scope, { id: "", key, channel: "web" })) {
    throw new ColloquyError("FORBIDDEN", "This token may not start conversations");
  }
  const title = firstWordsOf({ role: "user", content: text });
  return store.open(key, { channel: "web", ...defined({ title, model }) });
}

export async function editMessage(
  { store, chats }: ChatDesk,
  principal: Principal,
  params: Params<"chat.edit">,
): Promise<Methods["chat.edit"]["result"]> {
  chats.assertOpen();
  const { entry: edited, text, idempotencyKey: operationId, model } = params;
  const conversation = await scopedConversation(store, principal, params.conversation);
  const { message } = await entryOf(conversation, edited);
  if (message === undefined || !isRealUser(message))
    throw invalid("Only a message of a user can be edited", "entry");
  const content = editedContent(text, message);
  const provenance = { channel: "web", user: principal.user };
  const { branch, entries } = await conversation.edit(
    edited,
    { role: "user", content, provenance },
    { operationId, name: editName(text, operationId) },
  );
  const { id: entry } = entries[0] as MessageEntry;
  orderAnswer(chats, principal, conversation, entry, entry, model);
  return { conversation: conversation.id, run: entry, entry, branch: branch.name };
}

/** The whole answer again, with all its steps: from the message that it answers. */
export async function regenerate(
  { store, chats }: ChatDesk,
  principal: Principal,
  params: Params<"chat.regenerate">,
): Promise<Methods["chat.regenerate"]["result"]> {
  chats.assertOpen();
  const { idempotencyKey, model } = params;
  const conversation = await scopedConversation(store, principal, params.conversation);
  const question = await questionOf(conversation, params.entry);
  const run = uuidFromHash(JSON.stringify(["regenerate", conversation.id, question.id, idempotencyKey]));
  const name = `answer-${run.slice(0, 13)}`;
  await branchOnce(conversation, question.id, name);
  orderAnswer(chats, principal, conversation, question.id, run, model);
  return { conversation: conversation.id, run, entry: question.id, branch: name };
}

/** The same order can come twice, also at the same time. */
async function branchOnce(conversation: Conversation, from: string, name: string): Promise<void> {
  const isThere = async (): Promise<boolean> =>
    (await conversation.branches()).some((branch) => branch.name === name);
  if (await isThere()) return;
  try {
    await conversation.branch(from, { name, checkout: true });
  } catch (error) {
    if (!(await isThere())) throw error;
  }
}

/** Complete what the last run left open, or continue what was stopped. Returns its id, or that of the one that runs. */
export async function resume(
  { store, chats }: ChatDesk,
  principal: Principal,
  reference: string,
): Promise<string | null> {
  chats.assertOpen();
  const conversation = await scopedConversation(store, principal, reference);
  const running = chats.firstRun(conversation.id);
  if (running !== undefined) return running;
  const next = await continuation(conversation);
  if (next !== undefined) {
    orderAnswer(chats, principal, conversation, next.question, next.run, undefined);
    return next.run;
  }
  const run = await unfinishedRun(conversation);
  if (run === undefined) return null;
  const lookup = lookupOf(principal);
  const work: Parameters<Chats["order"]>[0]["work"] = (loop, options) => loop.resume(options);
  chats.order({ run, conversation, entry: null, lookup, model: undefined, work });
  return run;
}

/** A run that was stopped has ended: another one continues it. The same wish is the same run. */
async function continuation(
  conversation: Conversation,
): Promise<{ readonly run: string; readonly question: string } | undefined> {
  const [last] = (await conversation.messages({ last: 1, blobs: "references" })).items;
  if (last === undefined) return undefined;
  const { message, id } = last;
  const wasStopped =
    message.endState === "stopped" || (isRealUser(message) && (await hasEnded(conversation, id)));
  if (!wasStopped) return undefined;
  const question = (await questionOf(conversation, id)).id;
  // Those that were stopped before their first word have left no message.
  for (let number = 1; ; number++) {
    const run = uuidFromHash(JSON.stringify(["resume", conversation.id, id, number]));
    if (!(await hasEnded(conversation, run))) return { run, question };
  }
}

async function hasEnded(conversation: Conversation, run: string): Promise<boolean> {
  const end = await conversation.entry(`${run}/end`);
  const state = end?.kind === "info" ? end.data.state : end?.message?.endState;
  return state === "stopped" || state === "finished";
}

function orderAnswer(
  chats: Chats,
  principal: Principal,
  conversation: Conversation,
  entry: string,
  run: string,
  model: string | undefined,
  prepare?: () => Promise<boolean>,
): void {
  chats.order({
    run,
    conversation,
    entry,
    model,
    prepare,
    lookup: lookupOf(principal),
    work: (loop, options) => loop.answer(entry, { ...options, operationId: run }),
  });
}

/** A token for some conversations must not read the others through the tools of an agent. */
function lookupOf({ scope }: Principal): "all" | "session" {
  return scope === null ? "all" : "session";
}

async function entryOf(conversation: Conversation, id: string): Promise<Entry> {
  const entry = await conversation.entry(id);
  if (entry !== undefined) return entry;
  throw new ColloquyError("NOT_FOUND", `There is no entry ${id} in this conversation`, { field: "entry" });
}

/** The message that an answer belongs to: the words of a user before it. */
async function questionOf(conversation: Conversation, id: string): Promise<Entry> {
  let entry = await entryOf(conversation, id);
  while (entry.message === undefined || !isRealUser(entry.message)) {
    if (entry.parentId === null) throw invalid("There are no words of a user before this entry", "entry");
    entry = await entryOf(conversation, entry.parentId);
  }
  return entry;
}
