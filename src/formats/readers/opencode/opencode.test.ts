import { readdirSync, readFileSync } from "node:fs";
import { posix } from "node:path";
import { expect, test } from "vitest";
import { RecordingSink } from "../../../../test/support/samples/recording-sink.ts";
import type { JsonObject } from "../../../util/json.ts";
import type { Surroundings } from "../../contract/reader.ts";
import { FoundBefore } from "../../import/forks/found-before.ts";
import { opencode } from "./index.ts";

const ROOT = new URL("../../../../test/fixtures/opencode/", import.meta.url);

/** The files of the fixture, or others instead of some of them, as the file at `path` sees them. */
function around(path: string, changed: Readonly<Record<string, string | undefined>> = {}): Surroundings {
  const names = readdirSync(ROOT, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".json"),
  );
  const known = names.map((name) => [name, readFileSync(new URL(name, ROOT), "utf8")] as const);
  const files = new Map<string, string | undefined>([...known, ...Object.entries(changed)]);
  const at = (name: string): string => posix.join(posix.dirname(path), name);
  const own: Surroundings = {
    path,
    modifiedMs: 0,
    async read(name) {
      const text = files.get(at(name));
      return text === undefined ? undefined : Buffer.from(text);
    },
    async list(folder) {
      const below = [...files.keys()].filter((name) => name.startsWith(`${at(folder)}/`));
      const found = below.map((name) => name.slice(at(folder).length + 1).split("/")[0] as string);
      return [...new Set(found)].sort();
    },
    async *records() {},
    stamp: () => "",
    beyond: () => own,
    pathOf: at,
  };
  return own;
}

function steps(
  value: JsonObject,
  sink: RecordingSink,
  beside: Surroundings,
  findings: FoundBefore = new FoundBefore(),
): AsyncGenerator<number> {
  const record = { value, line: null, offset: 0 };
  return opencode.document.read(record, sink, beside, findings) as AsyncGenerator<number>;
}

async function read(
  path: string,
  changed: Readonly<Record<string, string | undefined>> = {},
): Promise<RecordingSink> {
  const sink = new RecordingSink();
  const text = changed[path] ?? readFileSync(new URL(path, ROOT), "utf8");
  for await (const _ of steps(JSON.parse(text), sink, around(path, changed)));
  return sink;
}

const SESSION = "storage/session/proj1/ses_a.json";

function entry(sink: RecordingSink, id: string) {
  return sink.conversations[0]?.entries.find((found) => found.id === id);
}

test("A session is read with its messages and parts, each answer followed by what its tools said", async () => {
  const sink = await read(SESSION);
  const [session] = sink.conversations;
  expect(
    session?.entries.map(({ id, parent, kind, message }) => `${kind ?? message?.role} ${id}<${parent}`),
  ).toEqual([
    "user msg_01<null",
    "assistant msg_02<msg_01",
    "user msg_02/results<msg_02",
    "assistant msg_02/2<msg_02/results",
    "user msg_02/results-2<msg_02/2",
    "compaction msg_04<msg_02/results-2",
    "user msg_05<msg_04",
    "assistant msg_06<msg_05",
  ]);
  expect(session?.start).toMatchObject({
    sourceId: "ses_a",
    title: "Plant beans",
    createdAt: 1750000000000,
    about: { directory: "/home/rosa/garden", version: "1.0.30", project: "proj1" },
  });
  expect(session?.start.parent).toBeUndefined();
});

test("A user message has its texts and files in the order of their ids, and marks those that are not the user's", async () => {
  const sink = await read(SESSION);
  expect(entry(sink, "msg_01")?.message).toEqual({
    role: "user",
    content: [
      { type: "text", text: "Plant the beans" },
      { type: "text", text: "Called the Read tool" },
      { type: "image", source: { type: "base64", media_type: "image/png", data: "aGk=" } },
      { type: "file", mime: "text/plain", filename: "notes.txt", url: "file:///home/rosa/garden/notes.txt" },
    ],
    extra: { opencode: { synthetic: [1] } },
  });
});

test("Parts that are not content are noted, and unknown ones are reported, too", async () => {
  const sink = await read(SESSION);
  const noted = sink.conversations[0]?.notes.map(
    ({ value }) => (value as JsonObject).type ?? (value as JsonObject).id,
  );
  expect(noted).toEqual([
    "ses_a",
    "text",
    "agent",
    "step-start",
    "step-finish",
    "step-start",
    "patch",
    "hologram",
    "compaction",
    "msg_03",
  ]);
  expect(sink.unknowns).toEqual(["part hologram"]);
});

test("Calls and results are paired by id; failures are marked, also those that opencode calls completed", async () => {
  const sink = await read(SESSION);
  expect(entry(sink, "msg_02")?.message?.content).toEqual([
    { type: "thinking", thinking: "Dig first.", signature: "sig==" },
    { type: "text", text: "I will dig." },
    { type: "tool_use", id: "toolu_1", name: "bash", input: { command: "dig" } },
    { type: "tool_use", id: "toolu_2", name: "read", input: { filePath: "bed.png" } },
    { type: "tool_use", id: "toolu_3", name: "edit", input: { filePath: "x" } },
    { type: "tool_use", id: "toolu_4", name: "invalid", input: { tool: "plow", error: "no such tool" } },
  ]);
  expect(entry(sink, "msg_02/results")?.message?.content).toEqual([
    { type: "tool_result", tool_use_id: "toolu_1", content: "no spade", is_error: true },
    {
      type: "tool_result",
      tool_use_id: "toolu_2",
      content: [
        { type: "text", text: "Image read" },
        { type: "image", source: { type: "base64", media_type: "image/png", data: "aGk=" } },
      ],
    },
    { type: "tool_result", tool_use_id: "toolu_3", content: "File not found", is_error: true },
    { type: "tool_result", tool_use_id: "toolu_4", content: "The arguments are invalid", is_error: true },
  ]);
});

test("Tokens, cost and end are with the last part of an answer", async () => {
  const sink = await read(SESSION);
  expect(entry(sink, "msg_02")?.message?.usage).toBeUndefined();
  expect(entry(sink, "msg_02/2")?.message).toMatchObject({
    model: "claude-sonnet-4-5",
    stopReason: "tool-calls",
    usage: {
      input_tokens: 10,
      output_tokens: 20,
      cache_read_input_tokens: 400,
      cache_creation_input_tokens: 50,
      reasoning_tokens: 3,
      cost: 0.25,
    },
  });
  expect(entry(sink, "msg_02/2")?.at).toBe(1750000002000);
});

test("A summary is a compaction, and the message that asked for it is not an entry", async () => {
  const sink = await read(SESSION);
  expect(entry(sink, "msg_04")?.data).toEqual({
    summary: "We planted beans.",
    strategy: "opencode",
    first_kept: null,
    trigger: "auto",
  });
});

test("A summary that is not finished replaces nothing", async () => {
  const path = "storage/message/ses_a/msg_04.json";
  const { time: _, ...open } = JSON.parse(readFileSync(new URL(path, ROOT), "utf8"));
  const sink = await read(SESSION, { [path]: JSON.stringify({ ...open, time: { created: 1750000021000 } }) });
  expect(entry(sink, "msg_04")).toMatchObject({ flags: ["cut-off"], message: { role: "assistant" } });
});

test("A call that still runs has no result and its answer is marked; an error is kept", async () => {
  const sink = await read(SESSION);
  expect(entry(sink, "msg_06")).toMatchObject({
    flags: ["cut-off"],
    message: {
      content: [{ type: "tool_use", id: "toolu_9", name: "bash", input: { command: "water" } }],
      extra: { opencode: { error: { name: "MessageAbortedError" } } },
    },
  });
  expect(entry(sink, "msg_06/results")).toBeUndefined();
  expect(entry(sink, "msg_02")?.flags).toBeUndefined();
});

test("Reverted messages are kept, and the shown path ends before them", async () => {
  const sink = await read(SESSION);
  expect(sink.conversations[0]?.leaf).toBe("msg_04");
  const session = JSON.parse(readFileSync(new URL(SESSION, ROOT), "utf8"));
  const part = { ...session, revert: { messageID: "msg_05", partID: "prt_51" } };
  expect((await read(SESSION, { [SESSION]: JSON.stringify(part) })).conversations[0]?.leaf).toBe("msg_05");
  const { revert: _, ...plain } = session;
  expect((await read(SESSION, { [SESSION]: JSON.stringify(plain) })).conversations[0]?.leaf).toBeUndefined();
});

test("Every file is kept as it is: with the entries that say the same, or as a note", async () => {
  const sink = await read(SESSION);
  const [session] = sink.conversations;
  const records = [...(session?.notes ?? []), ...(session?.entries ?? []).flatMap((found) => found.records)];
  const ids = records.map(({ value }) => (value as JsonObject).id);
  const wanted = readdirSync(ROOT, { recursive: true, encoding: "utf8" })
    .filter((name) =>
      /storage.(session|message.ses_a|part.msg_0\d).*(ses_a|msg_\d+|prt_\d+)\.json$/.test(name),
    )
    .map((name) => posix.basename(name, ".json"));
  expect([...new Set(ids)].toSorted()).toEqual(wanted.filter((name) => !name.includes("old")).toSorted());
  for (const { row } of records.filter(({ offset }) => offset === null)) {
    const { file, text } = row as { file: string; text: string };
    expect(readFileSync(new URL(file, new URL(SESSION, ROOT)), "utf8")).toBe(text);
  }
});

test("A session that another one started names it", async () => {
  const sink = await read("storage/session/proj1/ses_child.json");
  expect(sink.conversations[0]?.start.parent).toEqual({ sourceId: "ses_a" });
  expect(sink.conversations[0]?.entries).toEqual([]);
});

test("The oldest layout is read, with parts in folders of sessions or in the message itself", async () => {
  const sink = await read("project/garden/storage/session/info/ses_old.json");
  expect(sink.lines()).toEqual([
    "user: Old words",
    "assistant: In the message [tool_use]",
    "user: [tool_result]",
  ]);
  expect(entry(sink, "msg_o2")).toMatchObject({
    at: 1745000000600,
    message: { model: "claude-3-7", usage: { input_tokens: 1, output_tokens: 2, cost: 0.5 } },
  });
  expect(entry(sink, "msg_o2")?.flags).toBeUndefined();
  expect(entry(sink, "msg_o2/results")?.message?.content).toEqual([
    { type: "tool_result", tool_use_id: "call_o", content: "bed.txt" },
  ]);
});

test("The output of `opencode export` is read", async () => {
  const sink = await read("export.json");
  expect(sink.conversations[0]?.start).toMatchObject({ sourceId: "ses_x", title: "Exported" });
  expect(sink.lines()).toEqual(["user: Exported words"]);
});

test("Files of messages, parts and projects are known and left to their sessions", async () => {
  for (const path of [
    "storage/message/ses_a/msg_01.json",
    "storage/part/msg_01/prt_01.json",
    "storage/project/proj1.json",
    "project/garden/storage/session/message/ses_old/msg_o1.json",
    "project/garden/storage/session/part/ses_old/msg_o1/prt_o1.json",
  ]) {
    expect(opencode.document.sniff(JSON.parse(readFileSync(new URL(path, ROOT), "utf8")))).toBe(true);
    const sink = await read(path);
    expect([path, sink.conversations, sink.unresolvedReferences, sink.skipped]).toEqual([path, [], [], []]);
  }
  expect(opencode.document.sniff({ content: "Dig", status: "pending", priority: "high", id: "1" })).toBe(
    true,
  );
  expect(opencode.document.sniff({ file: "a.ts", before: "", after: "", additions: 1, deletions: 0 })).toBe(
    true,
  );
  expect(
    opencode.document.sniff({ id: "x", title: "y", messages: [], time: { created: 1 }, version: "1" }),
  ).toBe(false);
});

test("Messages whose session is missing are still read, once, and reported", async () => {
  const first = await read("storage/message/ses_gone/msg_91.json");
  expect(first.unresolvedReferences).toEqual(["session ses_gone"]);
  expect(first.conversations[0]?.start.sourceId).toBe("ses_gone");
  expect(first.conversations[0]?.entries.map(({ id }) => id)).toEqual(["msg_91", "msg_92"]);
  const second = await read("storage/message/ses_gone/msg_92.json");
  expect([second.conversations, second.unresolvedReferences]).toEqual([[], []]);
});

test("A part whose message is gone is reported", async () => {
  const sink = await read("storage/part/msg_lost/prt_99.json");
  expect(sink.unresolvedReferences).toEqual(["message msg_lost"]);
});

test("A damaged file is skipped with its text, and the others are read", async () => {
  const sink = await read(SESSION, { "storage/part/msg_01/prt_02.json": '{"id": "prt_02", "ty' });
  expect(sink.skipped).toEqual([
    { line: null, reason: "../../part/msg_01/prt_02.json is not a JSON object" },
  ]);
  expect(entry(sink, "msg_01")?.message?.content[0]).toEqual({ type: "text", text: "Plant the beans" });
});

test("The parts of a message are read when those before it were passed on", async () => {
  const beside = around(SESSION);
  const files: string[] = [];
  const watched: Surroundings = {
    ...beside,
    async read(name) {
      files.push(name.replace(/^.*\/(part\/[^/]+).*$/, "$1"));
      return beside.read(name);
    },
  };
  const sink = new RecordingSink();
  const session = JSON.parse(readFileSync(new URL(SESSION, ROOT), "utf8"));
  let before = 0;
  let count = 0;
  for await (const bytes of steps(session, sink, watched)) {
    count++;
    expect(new Set(files.filter((name) => name.startsWith("part/"))).size).toBeLessThanOrEqual(count);
    expect(bytes).toBeGreaterThan(before);
    before = bytes;
  }
  expect(count).toBeGreaterThan(3);
});

test("A folder is listed once for all of its files", async () => {
  const findings = new FoundBefore();
  let listed = 0;
  for (const name of ["msg_01", "msg_02", "msg_03"]) {
    const path = `storage/message/ses_a/${name}.json`;
    const beside = around(path);
    const counting: Surroundings = {
      ...beside,
      async list(folder) {
        if (folder === ".") listed++;
        return beside.list(folder);
      },
    };
    const value = JSON.parse(readFileSync(new URL(path, ROOT), "utf8"));
    for await (const _ of steps(value, new RecordingSink(), counting, findings));
  }
  expect(listed).toBe(1);
});
