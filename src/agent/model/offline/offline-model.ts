/**
 * Answers without a language model: with what was said before about the
 * question, so that a chat is useful on a machine without a key.
 */
import { ColloquyError } from "../../../errors.ts";
import type { Memory } from "../../../memory/memory.ts";
import { textOf } from "../../../message/text.ts";
import type { Message } from "../../../message/types.ts";
import type { Store } from "../../../store/store.ts";
import { checkMethod, checkObject } from "../../../util/checked-arguments.ts";
import type { ChatModel, ModelEvent, ModelRequest } from "../chat-model.ts";
import { type AnswerOptions, answerText, ONLY_WORDS } from "./answer-text.ts";
import { findAnswers, OFFLINE_NAME } from "./find-answers.ts";

export interface OfflineModelOptions extends AnswerOptions {
  readonly store: Store;
  /** Searched too. */
  readonly memory?: Memory | undefined;
  /** Only this conversation of the store is searched, by its id or key. Default: all of them. */
  readonly conversation?: string | undefined;
}

/** Large enough that a conversation is never summarised, which needs a language model. */
const CONTEXT_WINDOW = 1_000_000;
const QUESTION_CHARS_MAX = 100_000;
const WORD = /\s*\S+\s*/g;

/** A model that looks up what it is asked in a store and a memory, and cites the messages it found. */
export function offlineModel(options: OfflineModelOptions): ChatModel {
  checkObject(options, "options");
  checkMethod(options.store, "search", "store");
  return {
    name: OFFLINE_NAME,
    contextWindow: CONTEXT_WINDOW,
    stream: (request, { signal } = {}) => answer(options, request, signal),
  };
}

async function* answer(
  options: OfflineModelOptions,
  { messages }: ModelRequest,
  signal: AbortSignal | undefined,
): AsyncGenerator<ModelEvent> {
  signal?.throwIfAborted();
  const question = questionIn(messages);
  if (question.length > QUESTION_CHARS_MAX) throw tooLong();
  const isFirst = !messages.some(({ role }) => role === "assistant");
  const text =
    question === "" ? ONLY_WORDS : answerText(await findAnswers(options, question, signal), isFirst, options);
  for (const [word] of text.matchAll(WORD)) {
    signal?.throwIfAborted();
    yield { type: "text", text: word };
  }
  const usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, cost: 0 };
  yield { type: "end", content: [{ type: "text", text }], stopReason: "end", usage, model: OFFLINE_NAME };
}

/** A remark in brackets is about the conversation, not a part of it. */
const REMARK = /^\[[^\]]*\]$/s;

function questionIn(messages: readonly Message[]): string {
  const texts = messages.filter(({ role }) => role === "user").map((message) => textOf(message).trim());
  return texts.findLast((text) => text !== "" && !REMARK.test(text)) ?? "";
}

function tooLong(): ColloquyError {
  const message = `${OFFLINE_NAME} is not a language model: it cannot read a text of this length. Ask a shorter question`;
  return new ColloquyError("NOT_SUPPORTED", message);
}
