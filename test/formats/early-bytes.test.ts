/** What a file has before its first message, which opens the conversation, is kept however much it is. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { originalSources } from "../../src/formats/export/original/original.ts";
import { importConversations } from "../../src/formats/import/run.ts";
import { openStore } from "../../src/store/open.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { piHeader, piSays } from "./pi-session.ts";

const MB = 1_000_000;
const SESSION = "21000000-0000-4000-8000-000000000003";

function record(type: string, more: object): string {
  const timestamp = "2026-01-01T00:00:00.000Z";
  return `${JSON.stringify({ type, sessionId: SESSION, timestamp, ...more })}\n`;
}

const queued = (text: string): string => record("queue-operation", { operation: "enqueue", content: text });
const prompt = record("user", { uuid: "u1", parentUuid: null, message: { role: "user", content: "Hello" } });
const header = piHeader("one");
const said = piSays("m1", null, "Hello");

/** The bytes of all originals, in the order of the file, and how many conversations have them. */
async function imported(content: string): Promise<{ bytes: Buffer; conversations: number; missing: number }> {
  const file = join(tempFolder(), `${SESSION}.jsonl`);
  writeFileSync(file, content);
  await using store = await openStore("ephemeral:");
  await importConversations(store, [file]);
  const { missingCount } = await importConversations(store, [file], { verify: true });
  const { items } = await store.list();
  const originals: Buffer[] = [];
  for (const { id } of items) {
    for (const source of await originalSources(store, id)) {
      originals.push(Buffer.concat(await Array.fromAsync(source.bytes())));
    }
  }
  const at = (bytes: Buffer): number => content.indexOf(bytes.toString("latin1", 0, 200));
  const bytes = Buffer.concat(originals.sort((a, b) => at(a) - at(b)));
  return { bytes, conversations: items.length, missing: missingCount };
}

it.each([
  ["one long queued prompt", queued("x".repeat(20 * MB)) + prompt],
  ["many queued prompts", queued("x".repeat(MB)).repeat(20) + prompt],
  ["damage among queued prompts", `damage\n${queued("x".repeat(MB)).repeat(20)}${prompt}`],
  ["damage after a header", `${header}${`${"x".repeat(MB)}\n`.repeat(20)}${said}`],
  ["blank lines after a header", header + "\n".repeat(9 * MB) + said],
  ["a padded line after a header", `${header}${"\0".repeat(20 * MB)}\n${said}`],
])("goes with the conversation: %s", async (_, content) => {
  const { bytes, conversations, missing } = await imported(content);
  expect(bytes.equals(Buffer.from(content))).toBe(true);
  expect({ conversations, missing }).toEqual({ conversations: 1, missing: 0 });
});

it.each([
  ["bytes", `${header}${`${"x".repeat(4 * MB)}\n`.repeat(18)}${said}`],
  ["lines", `${header}${"x\n".repeat(300_000)}${said}`],
])("has a conversation of its own if it is too many %s to wait", async (_, content) => {
  const { bytes, conversations, missing } = await imported(content);
  expect(bytes.equals(Buffer.from(content))).toBe(true);
  expect({ conversations, missing }).toEqual({ conversations: 2, missing: 0 });
});
