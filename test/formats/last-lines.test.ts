/** The last line of a file that a tool is writing: it may be torn, or complete without its newline. */
import { appendFileSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { writeOriginals } from "../../src/formats/export/original/write-originals.ts";
import { importConversations } from "../../src/formats/import/run.ts";
import { textOf } from "../../src/message/index.ts";
import { openStore } from "../../src/store/open.ts";
import { shapeOf } from "../support/samples/conversation-shape.ts";
import { tempFolder } from "../support/temp-folder.ts";

const SESSION = "21000000-0000-4000-8000-000000000003";

/** A record of Claude Code. Without a uuid its id is made of its line. */
function record(number: number, uuid: string | undefined = `u${number}`): string {
  const about = { type: "user", sessionId: SESSION, parentUuid: number === 1 ? null : "u1" };
  const timestamp = `2026-01-01T00:00:0${number}Z`;
  return JSON.stringify({ ...about, uuid, timestamp, message: { role: "user", content: `hello ${number}` } });
}

function place(): { readonly file: string; readonly target: string } {
  const folder = tempFolder();
  mkdirSync(join(folder, "projects"));
  return {
    file: join(folder, "projects", `${SESSION}.jsonl`),
    target: `sqlite:${join(folder, "store.db")}`,
  };
}

it("a torn line that was given up is kept once when the file grows after all", async () => {
  const { file, target } = place();
  writeFileSync(file, `${record(1)}\n${record(2)}\n{"type":"us`);
  utimesSync(file, Date.now() / 1000 - 3 * 86_400, Date.now() / 1000 - 3 * 86_400);
  await using store = await openStore(target);
  const first = await importConversations(store, [file]);
  expect(first.skipped).toMatchObject([{ line: 3, reason: "the last line was never completed" }]);
  appendFileSync(file, `\n${record(4)}\n`);
  await importConversations(store, [file]);
  expect(await importConversations(store, [file], { verify: true })).toMatchObject({ missing: [] });
  const out = tempFolder();
  const [original] = await writeOriginals(store, [`claude-code:${SESSION}`], out, {});
  expect(original).toMatchObject({ isExact: true, notes: [] });
  expect(readFileSync(String(original?.path))).toEqual(readFileSync(file));
});

it.each([
  ["a torn line", { settleMs: 0 }, '{"type":"us', ["hello 1", "hello 2"]],
  ["an answer that may not be complete", { settleMs: 15_000 }, "", ["hello 1", "hello 2", "answer"]],
])("%s does not wait for a time that is far in the future", async (_, options, end, texts) => {
  const { file, target } = place();
  const answer = { id: "msg_1", role: "assistant", content: [{ type: "text", text: "answer" }] };
  const line = { ...JSON.parse(record(3)), parentUuid: "u2", type: "assistant", message: answer };
  const said = `${record(1)}\n${record(2)}\n`;
  writeFileSync(file, end === "" ? `${said}${JSON.stringify(line)}\n` : said + end);
  utimesSync(file, 4e9, 4e9);
  await using store = await openStore(target);
  const { pending } = await importConversations(store, [file], options);
  const chat = await store.get(`claude-code:${SESSION}`);
  const page = await chat?.messages();
  expect([pending, page?.items.map(({ message }) => textOf(message))]).toEqual([0, texts]);
});

it("a newline that is written later is not another line", async () => {
  const { file, target } = place();
  writeFileSync(file, `${record(1)}\n${record(2)}`);
  await using store = await openStore(target);
  await importConversations(store, [file]);
  appendFileSync(file, `\n${record(3, "")}\nnot json\n`);
  const { skipped } = await importConversations(store, [file]);
  expect(skipped).toMatchObject([{ line: 4 }]);
  const again = await importConversations(store, [file], { again: true });
  expect(again).toMatchObject({ messages: 0, branches: 0, skipped: [{ line: 4 }] });
});

it.each([
  ["Komatachi", "komatachi/kitchen/transcript.jsonl"],
  ["goclaw", "own/sessions/telegram_4711.jsonl"],
  ["PersonalAgent", "personal-agent/20250121193000001.jsonl"],
])("a pass that finds nothing new forgets nothing of a conversation of %s", async (_, fixture) => {
  const lines = readFileSync(join("test/fixtures", fixture), "utf8").split(/(?<=\n)/);
  const file = join(tempFolder(), "transcript.jsonl");
  writeFileSync(file, lines.slice(0, -1).join(""));
  await using store = await openStore(place().target);
  // As --watch reads a file: while it may still grow, when it has settled, and after the next message.
  await importConversations(store, [file], { settleMs: 15_000 });
  await importConversations(store, [file]);
  appendFileSync(file, lines.at(-1) ?? "");
  await importConversations(store, [file]);
  expect((await shapeOf(store)).map(({ branches }) => branches.length)).toEqual([1]);
  expect(await importConversations(store, [file], { verify: true })).toMatchObject({ missing: [] });
});

it.each([7, 10, 13])(
  "each conversation keeps its own lines of a file that is read after %i of them",
  async (count) => {
    const whole = readFileSync("test/fixtures/claude-code/1.0-inline-sidechains.jsonl", "utf8");
    const lines = whole.split(/(?<=\n)/);
    const { file, target } = place();
    await using store = await openStore(target);
    for (const read of [count, count + 1, lines.length]) {
      writeFileSync(file, lines.slice(0, read).join(""));
      // Nothing is final until the last time.
      await importConversations(store, [file], {
        settleMs: read === lines.length ? 0 : Number.MAX_SAFE_INTEGER,
      });
    }
    expect(await importConversations(store, [file], { verify: true })).toMatchObject({ missing: [] });
  },
);

it("what stands between the lines of an answer is kept, although nothing else is read before the last time", async () => {
  const fixture = "test/fixtures/claude-code/2.1-session/21000000-0000-4000-8000-000000000003.jsonl";
  const whole = readFileSync(fixture);
  const { file, target } = place();
  await using store = await openStore(target);
  // The call; what it tells while it runs, and its result; the rest.
  for (const bytes of [1802, 3586, whole.length]) {
    writeFileSync(file, whole.subarray(0, bytes));
    await importConversations(store, [file], { settleMs: Number.MAX_SAFE_INTEGER });
  }
  await importConversations(store, [file]);
  expect(await importConversations(store, [file], { verify: true })).toMatchObject({ missing: [] });
  const [original] = await writeOriginals(store, [`claude-code:${SESSION}`], tempFolder(), {});
  expect(original).toMatchObject({ isExact: true, notes: [] });
});

it.each([
  ["Claude Code", "claude-code/2.1.325-sdk-fork/92829322-0264-4f66-baa3-81f8676340ce.jsonl"],
  ["Codex", "codex/typed-lines.jsonl"],
  ["Gemini CLI", "gemini/0.61-resumed-twice.jsonl"],
  ["OpenAI fine-tuning", "openai-chat/fine-tune.jsonl"],
])("the first line of %s waits until it is complete", async (_, fixture) => {
  const whole = readFileSync(join("test/fixtures", fixture));
  const length = whole.indexOf("\n");
  const { file, target } = place();
  await using store = await openStore(target);
  for (let bytes = 1; bytes < length; bytes += Math.ceil(length / 60)) {
    writeFileSync(file, whole.subarray(0, bytes));
    expect(await importConversations(store, [file])).toMatchObject({
      ...{ conversations: 0, skipped: [], ignoredFiles: [], pending: 1 },
    });
  }
  writeFileSync(file, whole);
  const { imported } = await importConversations(store, [file]);
  expect(imported).not.toEqual([]);
  expect((await store.list()).items).toHaveLength(imported.length);
});
