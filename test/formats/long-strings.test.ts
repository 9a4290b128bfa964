/** Strings of megabytes are stored before their record is read, which sees a short placeholder instead. */
import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { importConversations } from "../../src/formats/import/run.ts";
import { openStore } from "../../src/store/open.ts";
import { tempFolder } from "../support/temp-folder.ts";

const SESSION = "21000000-0000-4000-8000-000000000003";
const LONG = "the lighthouse keeper writes ".repeat(180_000);

/** A record of Claude Code. */
function line(number: number, type: string, message: object): string {
  const parentUuid = number === 1 ? null : `u${number - 1}`;
  const timestamp = `2026-01-01T00:00:0${number}Z`;
  return `${JSON.stringify({ type, sessionId: SESSION, uuid: `u${number}`, parentUuid, timestamp, message })}\n`;
}

function source(): string {
  const folder = join(tempFolder(), "projects");
  mkdirSync(folder);
  return join(folder, `${SESSION}.jsonl`);
}

it("a long answer that is held while the file grows is stored with its text", async () => {
  const file = source();
  const answer = { id: "m1", role: "assistant", content: [{ type: "text", text: LONG }] };
  writeFileSync(file, line(1, "user", { role: "user", content: "hi" }) + line(2, "assistant", answer));
  await using store = await openStore(`sqlite:${join(tempFolder(), "store.db")}`);
  await importConversations(store, [file], { settleMs: 3_600_000 });
  appendFileSync(file, line(3, "user", { role: "user", content: "next" }));
  await importConversations(store, [file]);
  const chat = await store.get(`claude-code:${SESSION}`);
  const { items } = (await chat?.messages()) ?? { items: [] };
  expect(items.map(({ message }) => message.content)).toEqual(["hi", [{ type: "text", text: LONG }], "next"]);
  const verified = await importConversations(store, [file], { verify: true });
  expect(verified).toMatchObject({ missingCount: 0 });
});

it.each([
  ["a text", LONG],
  ["blocks", [{ type: "text", text: LONG }]],
])(
  "a conversation that begins with a long prompt, as %s, has its first words as title",
  async (_, content) => {
    const file = source();
    writeFileSync(file, line(1, "user", { role: "user", content }));
    await using store = await openStore("ephemeral:");
    const { imported } = await importConversations(store, [file]);
    expect(imported[0]?.title).toMatch(/^the lighthouse keeper writes .*…$/);
  },
);
