import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { importConversations } from "../../src/formats/import/run.ts";
import { openStore } from "../../src/store/open.ts";
import type { Json, JsonObject } from "../../src/util/json.ts";
import { DAMAGE_RUNS, damage, damaged, kept } from "../support/damage.ts";
import { fc } from "../support/fast-check.ts";
import { tempFolder } from "../support/temp-folder.ts";

/** Files of conversations in an array, and how a part of them becomes one of many. */
const FILES = [
  "chatgpt/conversations-with-branches.json",
  "chatgpt/tools-and-content-types.json",
  "claude-ai/attachments-and-lines.json",
  "claude-ai/tools-inside-answers.json",
  "open-webui/chats.json",
  "sharegpt/turns.jsonl",
  "openai-chat/fine-tune.jsonl",
];

const LAYOUTS: readonly [string, (elements: readonly Json[]) => string[]][] = [
  ["on one line", (elements) => elements.map((element) => JSON.stringify(element))],
  ["laid out", (elements) => elements.map((element) => JSON.stringify(element, null, 2))],
];

/** Five conversations that differ in their ids and in what their people are called. */
function elementsOf(name: string): JsonObject[] {
  const text = readFileSync(join("test/fixtures", name), "utf8");
  const all: JsonObject[] = name.endsWith(".jsonl")
    ? text
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line))
    : JSON.parse(text);
  const whole = all.filter((element) => JSON.stringify(element).length > 150);
  return Array.from({ length: 5 }, (_, index) => renamed(whole[index % whole.length] as JsonObject, index));
}

function renamed(element: JsonObject, index: number): JsonObject {
  const mark = (id: Json | undefined): Json | undefined => (typeof id === "string" ? `${id}-${index}` : id);
  const text = JSON.stringify(element, (member, value) =>
    ["content", "text", "value", "parts"].includes(member) && typeof value === "string" && value !== ""
      ? `${value} (${index})`
      : value,
  );
  const named: JsonObject = JSON.parse(text);
  const ids = ["id", "uuid", "conversation_id"].filter((member) => named[member] !== undefined);
  return { ...named, ...Object.fromEntries(ids.map((member) => [member, mark(named[member])])) };
}

async function keptOf(bytes: Buffer | string): Promise<Set<string>> {
  const file = join(tempFolder(), "conversations.json");
  writeFileSync(file, bytes);
  await using store = await openStore("ephemeral:");
  await importConversations(store, [file]);
  expect((await importConversations(store, [file], { verify: true })).missing).toEqual([]);
  expect(await importConversations(store, [file], { again: true })).toMatchObject({ messages: 0 });
  return await kept(store);
}

describe.each(FILES)("damage to one conversation of an array: %s", (name) => {
  it.each(LAYOUTS)(
    "never costs a record of another one, %s",
    async (_, laidOut) => {
      const parts = laidOut(elementsOf(name));
      const expected = await Promise.all(parts.map((part) => keptOf(`[${part}]`)));
      expect(expected.every((records) => records.size > 1)).toBe(true);
      await fc.assert(
        fc.asyncProperty(
          fc.nat({ max: 4 }),
          fc.array(damage, { minLength: 1, maxLength: 2 }),
          async (hit, what) => {
            const broken = parts.map((part, index) =>
              index === hit ? what.reduce(damaged, Buffer.from(part)) : Buffer.from(part),
            );
            const joined = broken.flatMap((part, index) => [Buffer.from(index === 0 ? "[" : ","), part]);
            const found = await keptOf(Buffer.concat([...joined, Buffer.from("]")]));
            const others = expected.filter((_, index) => index !== hit).flatMap((records) => [...records]);
            expect(others.filter((record) => !found.has(record))).toEqual([]);
          },
        ),
        { numRuns: DAMAGE_RUNS, endOnFailure: true },
      );
    },
    60_000,
  );
});
