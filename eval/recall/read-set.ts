import { join } from "node:path";
import { invalid } from "../../src/errors.ts";
import { readConversations } from "./read-conversations.ts";
import { checkNames, filesIn, filled, optionalText, recordsOf, type SetRecord, wrong } from "./records.ts";
import type { MessageRef, Question, RecallSet, SetConversation } from "./set.ts";

/** Read a set: `conversations/*.jsonl` and `questions/*.jsonl` (docs/reference/recall-evaluation.md). */
export function readSet(folder: string): RecallSet {
  const conversations = readConversations(join(folder, "conversations"));
  const placesOf = messagePlaces(conversations);
  const questions = filesIn(join(folder, "questions"))
    .flatMap(recordsOf)
    .map((record) => questionOf(record, placesOf));
  if (questions.length === 0) throw invalid(`${folder} has no questions`, "questions", { folder });
  const seen = new Set<string>();
  for (const { id } of questions) {
    if (seen.has(id)) throw invalid(`Two questions have the id "${id}"`, "id", { id });
    seen.add(id);
  }
  return { folder, conversations, questions };
}

type MessagePlaces = ReadonlyMap<string, readonly string[]>;

/** The conversations that have a message with an id. */
function messagePlaces(conversations: readonly SetConversation[]): MessagePlaces {
  const places = new Map<string, string[]>();
  for (const { id: conversation, messages } of conversations) {
    for (const { id } of messages) {
      const known = places.get(id);
      if (known === undefined) places.set(id, [conversation]);
      else known.push(conversation);
    }
  }
  return places;
}

function questionOf(record: SetRecord, placesOf: MessagePlaces): Question {
  checkNames(record, ["id", "question", "answers"], ["conversation", "language", "kind"]);
  const { answers } = record.values;
  if (!Array.isArray(answers) || answers.length === 0 || answers.some((id) => typeof id !== "string")) {
    throw wrong(record, "answers", "a list of message ids that is not empty");
  }
  if (new Set(answers).size < answers.length) throw wrong(record, "answers", "a list without repetitions");
  const conversation = optionalText(record, "conversation");
  return {
    id: filled(record, "id"),
    text: filled(record, "question"),
    answers: answers.map((id) => refOf(record, id, conversation, placesOf)),
    language: optionalText(record, "language") ?? "unknown",
    kind: optionalText(record, "kind") ?? "unknown",
  };
}

function refOf(
  { place }: SetRecord,
  message: string,
  named: string | undefined,
  placesOf: MessagePlaces,
): MessageRef {
  const places = (placesOf.get(message) ?? []).filter((id) => named === undefined || id === named);
  const [conversation, second] = places;
  if (conversation === undefined) {
    const where = named === undefined ? "No conversation" : `The conversation "${named}"`;
    throw invalid(`${place}: ${where} has no message "${message}"`, "answers", { place });
  }
  if (second !== undefined) {
    throw invalid(
      `${place}: "${conversation}" and "${second}" both have a message "${message}". Add "conversation"`,
      "answers",
      { place },
    );
  }
  return { conversation, message };
}
