import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readSet } from "../../eval/recall/read-set.ts";
import { ColloquyError } from "../../src/errors.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { CONVERSATIONS, QUESTIONS, toySet } from "./toy-set.ts";

const [HEAD = {}, MESSAGE = {}] = CONVERSATIONS;
const [QUESTION = {}] = QUESTIONS;

function problemOf(folder: string): ColloquyError {
  try {
    readSet(folder);
  } catch (error) {
    if (error instanceof ColloquyError) return error;
    throw error;
  }
  throw new Error("The set was read");
}

describe("a set", () => {
  it("is read with its tools, speakers and answers", () => {
    const { conversations, questions } = readSet(toySet());
    expect(conversations.map(({ id, messages }) => [id, messages.length])).toEqual([
      ["pump", 3],
      ["cellar", 2],
    ]);
    expect(conversations[1]?.messages[1]?.tools?.[0]?.output).toBe("humidity 91 percent");
    expect(questions[1]).toEqual({
      id: "q2",
      text: "humidity of the sensor",
      answers: [{ conversation: "cellar", message: "m2" }],
      language: "unknown",
      kind: "tool",
    });
  });

  it("may have Windows line ends, blank lines and a byte order mark", () => {
    const text = CONVERSATIONS.map((record) => `${JSON.stringify(record)}\r\n\r\n`).join("");
    expect(readSet(toySet(`\uFEFF${text}`)).conversations).toHaveLength(2);
  });

  it("needs both folders", () => {
    expect(problemOf(tempFolder()).code).toBe("NOT_FOUND");
    const folder = toySet();
    rmSync(join(folder, "questions"), { recursive: true });
    expect(problemOf(folder)).toMatchObject({
      code: "NOT_FOUND",
      message: expect.stringContaining("questions"),
    });
  });
});

describe("a wrong file of conversations", () => {
  it.each([
    ["nothing", [], "has no conversations"],
    ["something that is not JSON", "{", "a.jsonl:1: expected a JSON object on one line"],
    ["a list", "[]", "a.jsonl:1: expected a JSON object on one line"],
    ["bytes that are not UTF-8", new Uint8Array([0x7b, 0xff]), "is not UTF-8"],
    ["a message before its conversation", [MESSAGE], 'a record with "conversation" must come first'],
    ["a conversation without messages", [HEAD], '"pump" has no messages'],
    ["a conversation twice", [...CONVERSATIONS, HEAD, MESSAGE], 'Two conversations are called "pump"'],
    ["a message twice", [HEAD, MESSAGE, MESSAGE], 'Two messages of "pump" have the id "m1"'],
    ["an unknown property", [HEAD, { ...MESSAGE, txt: 1 }], 'a.jsonl:2: unknown property "txt"'],
    ["a missing property", [HEAD, { ...MESSAGE, at: undefined }], 'a.jsonl:2: "at" is missing'],
    ["a wrong time", [HEAD, { ...MESSAGE, at: "yesterday" }], '"at" must be a time'],
    ["a wrong role", [HEAD, { ...MESSAGE, role: "tool" }], '"role" must be user, assistant or system'],
    ["an empty text", [HEAD, { ...MESSAGE, text: " " }], '"text" must be a string that is not empty'],
    ["tools of a user", [HEAD, { ...MESSAGE, tools: [] }], '"role" must be assistant, because it has tools'],
    [
      "a tool without input",
      [HEAD, { ...MESSAGE, role: "assistant", tools: [{ name: "Bash" }] }],
      '"input" is missing',
    ],
  ] as const)("is refused: %s", (_, conversations, message) => {
    expect(problemOf(toySet(conversations))).toMatchObject({
      code: "VALIDATION_ERROR",
      message: expect.stringContaining(message),
    });
  });
});

describe("a wrong file of questions", () => {
  it.each([
    ["nothing", [], "has no questions"],
    ["a question twice", [QUESTION, QUESTION], 'Two questions have the id "q1"'],
    ["no answers", [{ ...QUESTION, answers: [] }], '"answers" must be a list of message ids'],
    [
      "an answer twice",
      [{ ...QUESTION, answers: ["m1", "m1"] }],
      '"answers" must be a list without repetitions',
    ],
    ["an unknown message", [{ ...QUESTION, answers: ["m9"] }], 'The conversation "pump" has no message "m9"'],
    [
      "an unknown conversation",
      [{ ...QUESTION, conversation: "roof" }],
      'The conversation "roof" has no message',
    ],
    [
      "a message that two conversations have",
      [{ ...QUESTION, conversation: undefined }],
      '"pump" and "cellar" both have a message "m1". Add "conversation"',
    ],
    ["a property of another name", [{ ...QUESTION, lang: "en" }], 'unknown property "lang"'],
  ] as const)("is refused: %s", (_, questions, message) => {
    expect(problemOf(toySet(undefined, questions))).toMatchObject({
      code: "VALIDATION_ERROR",
      message: expect.stringContaining(message),
    });
  });
});
