import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import {
  RecordingSink,
  readFile,
  readLines,
  surroundings,
} from "../../../../test/support/samples/recording-sink.ts";
import { checkMessage } from "../../../message/validate.ts";
import type { Json } from "../../../util/json.ts";
import { claudeCode } from "./index.ts";

const FOLDER = "test/fixtures/claude-code";
const SESSION = "5e550000-0000-4000-8000-000000000000";

const line = (type: string, uuid: string, parentUuid: string | null, message: object, more: object = {}) => ({
  ...{ type, uuid, parentUuid, sessionId: SESSION, message, ...more },
});
const task = (uuid: string, parent: string | null, tool: string, prompt: string) =>
  line("assistant", uuid, parent, {
    id: `msg_${uuid}`,
    content: [{ type: "tool_use", id: tool, name: "Task", input: { prompt } }],
  });
const side = (uuid: string, parent: string | null, content: string, more: object = {}) =>
  line("user", uuid, parent, { role: "user", content }, { isSidechain: true, ...more });

function read(records: readonly object[], path = "session.jsonl"): RecordingSink {
  return readFile(claudeCode.lines, records.map((record) => JSON.stringify(record)).join("\n"), path);
}

const links = (sink: RecordingSink) =>
  sink.conversations.map(({ start }) => `${start.sourceId.slice(SESSION.length)} ${start.parent?.toolUse}`);

describe("inline sub-agents", () => {
  it("take one call each when several have the same prompt", () => {
    const sink = read([
      ...[task("a", null, "t1", "Look"), task("b", "a", "t2", "Look")],
      ...[side("s", null, "Look"), side("t", null, "Look"), side("u", null, "Look")],
    ]);
    expect(links(sink)).toEqual([
      ...[" undefined", "/sidechain-s t1", "/sidechain-t t2", "/sidechain-u undefined"],
    ]);
  });

  it("are distinguished by their id if they have one", () => {
    const sink = read([
      task("a", null, "t1", "Look"),
      ...[side("s", "a", "Look", { agentId: "x" }), side("t", "elsewhere", "More", { agentId: "x" })],
    ]);
    expect(links(sink)).toEqual([" undefined", "/agent-x t1"]);
    expect(sink.conversations[1]?.entries.map(({ parent }) => parent)).toEqual([null, "elsewhere"]);
  });

  it("have the root of their first record, so that those of a copied session are the same", () => {
    expect(read([side("s", null, "Look"), side("t", "s", "More")]).conversations[0]?.start.root).toBe("s");
  });

  it("do not hold the records of the session before its first line", () => {
    const mode = { type: "mode", mode: "normal", sessionId: SESSION };
    const sink = read([mode, side("s", null, "Look"), line("user", "m", null, { content: "Hi" })]);
    expect(sink.conversations.map(({ start, notes }) => [start.sourceId, notes.length])).toEqual([
      [`${SESSION}/sidechain-s`, 0],
      [SESSION, 1],
    ]);
  });
});

describe("a sub-agent in a separate file", () => {
  it("is recognised by the file's name when its records do not say which one it is", () => {
    const sink = read([side("s", "m", "Look"), { type: "mode", sessionId: SESSION }], "p/agent-7f.jsonl");
    expect(sink.conversations[0]).toMatchObject({
      start: { sourceId: `${SESSION}/agent-7f`, parent: { sourceId: SESSION } },
      ...{ entries: [{ id: "s", parent: null }], notes: [{}] },
    });
  });
});

const fixtures = readdirSync(FOLDER, { recursive: true, encoding: "utf8" }).filter(
  (name) => name.endsWith(".jsonl") && !name.startsWith("glued"),
);

describe.each(fixtures)("%s", (name) => {
  const lines = readFileSync(`${FOLDER}/${name}`, "utf8").trim().split("\n");

  function readIn(parts: readonly number[]): RecordingSink {
    const sink = new RecordingSink();
    let state: Json | undefined;
    [0, ...parts].forEach((from, index) => {
      const reader = claudeCode.lines.open(sink, surroundings(name), state);
      readLines(reader, lines.slice(from, parts[index]).join("\n"), from + 1);
      reader.end(index === parts.length);
      state = JSON.parse(JSON.stringify(reader.state())) as Json;
    });
    return sink;
  }

  const brief = ({ conversations }: RecordingSink) =>
    conversations.map(({ start, entries, notes }) => ({
      start: JSON.parse(JSON.stringify(start)),
      entries: entries.map(({ records, ...entry }) => ({ ...entry, lines: records.map((one) => one.line) })),
      notes: notes.map((note) => note.line).sort(),
    }));

  it("is read the same in any two parts, and line by line", () => {
    const whole = brief(readIn([]));
    for (let at = 1; at < lines.length; at++) expect(brief(readIn([at]))).toEqual(whole);
    expect(brief(readIn(lines.map((_, index) => index).slice(1)))).toEqual(whole);
  });

  it("loses no line and adds only what the store accepts", () => {
    const { conversations } = readIn([]);
    const kept = conversations.flatMap(({ entries, notes }) => [
      ...entries.flatMap(({ records }) => records),
      ...notes,
    ]);
    expect(new Set(kept.map((record) => record.line)).size).toBe(lines.length);
    for (const { id, message } of conversations.flatMap(({ entries }) => entries)) {
      if (message !== undefined && message.content.length > 0) checkMessage({ ...message, id });
    }
  });
});
