/** Recordings of Gemini CLI 0.61 that were resumed or rewound: each time, it wrote all messages again. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { shapeOf } from "../../../../test/support/samples/conversation-shape.ts";
import { RecordingSink, surroundings } from "../../../../test/support/samples/recording-sink.ts";
import { tempFolder } from "../../../../test/support/temp-folder.ts";
import { openStore } from "../../../store/open.ts";
import type { Json, JsonObject } from "../../../util/json.ts";
import { importConversations } from "../../import/run.ts";
import { saveRecord } from "../shared/saved-state.ts";
import { gemini } from "./index.ts";

const RECORDING = "test/fixtures/gemini/0.61-resumed-twice.jsonl";
const linesOf = (path: string): string[] => readFileSync(path, "utf8").trimEnd().split("\n");
const LINES = linesOf(RECORDING);
const STUB = LINES.slice(0, 2);

const SAID = [
  ...["Look around", "Looking.", "One line.", "Second prompt", "Second answer."],
  ...["Third prompt", "Read it."],
];

const context = (id: string): string =>
  JSON.stringify({
    ...{ id, timestamp: "2026-11-16T16:00:00.000Z", type: "user" },
    content: [{ text: "<session_context>\nAnother day" }],
  });

const imported = (...versions: readonly (readonly string[])[]) => importedInto("ephemeral:", ...versions);

async function importedInto(target: string, ...versions: readonly (readonly string[])[]) {
  await using store = await openStore(target);
  const file = join(tempFolder(), "session-2026-11-16T15-31-bcd9fff2.jsonl");
  for (const lines of versions) {
    writeFileSync(file, lines.map((line) => `${line}\n`).join(""));
    await importConversations(store, [file]);
  }
  const { missing } = await importConversations(store, [file], { verify: true });
  const shapes = await shapeOf(store);
  const [{ id } = { id: "" }] = await Array.fromAsync(store.list());
  const entries = await Array.fromAsync((await store.snapshot(id)).log());
  return { shape: shapes[0], missing, messages: entries.filter(({ kind }) => kind === "message") };
}

describe("a recording that was resumed", () => {
  it("has each message and each result of a tool once, and is titled by the first prompt", async () => {
    const { shape, missing, messages } = await imported(LINES);
    expect(shape).toMatchObject({ active: SAID, branches: [SAID], flags: [] });
    expect(shape?.title).toMatch(/^Look around/);
    expect(messages).toHaveLength(11);
    const results = messages.map(
      ({ message }) => JSON.stringify(message).match(/"tool_result"/g)?.length ?? 0,
    );
    expect(results.reduce((sum, count) => sum + count)).toBe(2);
    expect(missing).toEqual([]);
  });

  it("is the same conversation, wherever it ended when it was read before", async () => {
    const whole = await imported(LINES);
    for (let end = 2; end < LINES.length; end++) {
      const { shape, missing, messages } = await imported(LINES.slice(0, end), LINES);
      expect(missing).toEqual([]);
      expect(shape?.active).toEqual(SAID);
      const results = messages.filter(({ message }) => JSON.stringify(message).includes('"tool_result"'));
      expect(results.length, `read up to line ${end}`).toBe(2);
      expect(messages.length).toBeLessThanOrEqual(whole.messages.length + 1);
    }
  });

  it("has no branch for an answer that was read before its calls had run", async () => {
    for (let end = 2; end < LINES.length; end++) {
      const target = `sqlite:${join(tempFolder(), "store.db")}`;
      const { shape, missing } = await importedInto(target, LINES.slice(0, end), LINES);
      expect({ end, missing, shape }).toMatchObject({ missing: [], shape: { branches: [SAID], flags: [] } });
    }
  });

  it("is not rewound by the context that a resume begins with", async () => {
    for (const end of [13, 14, 21, 22]) {
      const { shape, missing, messages } = await imported(LINES.slice(0, end), LINES);
      expect({ branches: shape?.branches, missing }).toEqual({ branches: [SAID], missing: [] });
      expect(messages).toHaveLength(11);
    }
  });

  it("goes on after a rewind, whose list lacks the context", async () => {
    const prompt = JSON.parse(LINES.find((line) => line.includes("Second prompt")) ?? "{}");
    const kept = JSON.parse(LINES[14] ?? "{}").$set.messages.slice(1);
    const next = {
      id: "after",
      timestamp: "2026-11-16T16:00:00.000Z",
      type: "user",
      content: [{ text: "Otherwise" }],
    };
    const lines = [{ $rewindTo: prompt.id }, { $set: { messages: kept } }, next].map((line) =>
      JSON.stringify(line),
    );
    const { shape } = await imported([...LINES, ...lines]);
    expect(shape?.active).toEqual([...SAID.slice(0, 3), "Otherwise"]);
    expect(shape?.branches).toHaveLength(2);
  });

  it("is not changed by the file that a resume begins, with context and nothing else", async () => {
    await using store = await openStore("ephemeral:");
    const folder = tempFolder();
    writeFileSync(join(folder, "session-a.jsonl"), `${LINES.join("\n")}\n`);
    writeFileSync(join(folder, "session-b.jsonl"), `${[STUB[0], context("other")].join("\n")}\n`);
    await importConversations(store, [folder]);
    expect(await shapeOf(store)).toMatchObject([{ active: SAID, branches: [SAID] }]);
  });
});

/** Two prompts, the second with a tool, and a third; back to the second, another prompt, and a resume. */
describe("a recording that was rewound and resumed", () => {
  const REWOUND = linesOf("test/fixtures/gemini/0.61-rewound.jsonl");

  it("is the same conversation, wherever it ended when it was read before", async () => {
    const whole = await imported(REWOUND);
    expect(whole.shape?.branches).toHaveLength(2);
    expect(whole.messages).toHaveLength(13);
    for (let end = 2; end < REWOUND.length; end++) {
      const { shape, missing, messages } = await imported(REWOUND.slice(0, end), REWOUND);
      expect({ end, missing, shape }).toEqual({ end, missing: [], shape: whole.shape });
      expect(messages).toHaveLength(13);
    }
  });

  it("goes on from a state of an earlier release, which does not tell context from prompts", () => {
    const records = REWOUND.map((text, at) => ({
      ...{ value: JSON.parse(text) as Json, text },
      ...{ line: at + 1, offset: at },
    }));
    const first = gemini.lines.open(new RecordingSink(), surroundings("x.jsonl"), undefined);
    for (const record of records.slice(0, 18)) first.record(record);
    first.end(true);
    const { contexts, ...messages } = (first.state() as { recording: { messages: JsonObject } }).recording
      .messages;
    expect(contexts).toBe(1);
    const state = { ...(first.state() as JsonObject), recording: { hasTitle: true, messages } };
    const sink = new RecordingSink();
    const second = gemini.lines.open(sink, surroundings("x.jsonl"), state);
    for (const record of records.slice(18)) second.record(record);
    second.end(true);
    expect(sink.conversations[0]?.entries).toHaveLength(4);
  });
});

/** A prompt, `/compress`, which writes a notice, a second prompt, and a third after a resume. */
describe("a recording with a notice of the program", () => {
  const COMPRESSED = linesOf("test/fixtures/gemini/0.61-compressed.jsonl");
  const SAID = [
    ...["New session typed", "New.", "After compress", "Yes, compressed."],
    ...["Third resume", "Third resume."],
  ];

  const of = (type: string): string[] =>
    COMPRESSED.map((line) => line.replace('"type":"info"', `"type":"${type}"`));

  it.each(["info", "warning", "error"])("has each message once after a resume: %s", async (type) => {
    const { shape, missing, messages } = await imported(of(type));
    expect(shape).toMatchObject({ active: SAID, branches: [SAID], flags: [] });
    expect(messages).toHaveLength(7);
    expect(missing).toEqual([]);
  });

  it("is the same conversation, wherever it ended when it was read before", async () => {
    for (let end = 2; end < COMPRESSED.length; end++) {
      const { shape, missing, messages } = await imported(COMPRESSED.slice(0, end), COMPRESSED);
      expect({ end, missing, shape }).toMatchObject({ end, missing: [], shape: { branches: [SAID] } });
      expect(messages).toHaveLength(7);
    }
  });

  it.each(["info", "warning", "error"])("goes on after a rewind: %s", async (type) => {
    const lines = of(type);
    const prompt = JSON.parse(lines.find((line) => line.includes("After compress")) ?? "{}");
    const [, ...kept] = JSON.parse(lines[13] ?? "{}").$set.messages.slice(0, 3);
    const next = { ...prompt, id: "after", content: [{ text: "Otherwise" }] };
    const rewind = [{ $rewindTo: prompt.id }, { $set: { messages: kept } }, next];
    const { shape, missing } = await imported([...lines, ...rewind.map((line) => JSON.stringify(line))]);
    expect(shape?.active).toEqual([...SAID.slice(0, 2), "Otherwise"]);
    expect(shape?.branches).toEqual([SAID, shape?.active]);
    expect(missing).toEqual([]);
  });

  it("goes on before a notice that a rewind names, also when it was read before", async () => {
    const lines = COMPRESSED.slice(0, 12);
    const { id } = JSON.parse(lines.find((line) => line.includes('"type":"info"')) ?? "{}");
    const next = { id: "after", timestamp: "2026-11-19T05:00:00.000Z", type: "user", content: "Otherwise" };
    const rewound = [...lines, ...[{ $rewindTo: id }, next].map((line) => JSON.stringify(line))];
    const { shape } = await imported(lines, rewound);
    expect(shape?.active).toEqual([...SAID.slice(0, 2), "Otherwise"]);
    expect(shape).toEqual((await imported(rewound)).shape);
  });

  it("keeps the notice that a state of an earlier release holds", () => {
    const notice = { line: 7, offset: 6, value: { id: "n", type: "info", content: "" } };
    const state = {
      start: { sourceId: "s" },
      recording: { messages: { held: [["n", "n", saveRecord(notice)]] } },
    };
    const sink = new RecordingSink();
    gemini.lines.open(sink, surroundings("x.jsonl"), state).end(true);
    expect(sink.conversations).toMatchObject([{ entries: [], notes: [{ line: 7 }] }]);
  });

  it("has no message while it has nothing but context and notices", async () => {
    const [start = "", context = "", ...others] = COMPRESSED;
    const info = others.find((line) => line.includes('"type":"info"')) ?? "";
    const { messages, missing } = await imported([start, info, context, info]);
    expect({ messages, missing }).toEqual({ messages: [], missing: [] });
  });
});
