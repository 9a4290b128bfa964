import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import {
  RecordingSink,
  readFile,
  readLines,
  surroundings,
} from "../../../../test/support/samples/recording-sink.ts";
import type { Json, JsonObject } from "../../../util/json.ts";
import { FoundBefore } from "../../import/forks/found-before.ts";
import { gemini } from "./index.ts";

const FOLDER = "test/fixtures/gemini";
const MAIN = "9e111000-0000-4000-8000-000000000001";

function fixture(name: string): string {
  return readFileSync(`${FOLDER}/${name}`, "utf8");
}

function read(name: string): RecordingSink {
  return readText(fixture(name), `${FOLDER}/${name}`);
}

function readText(text: string, path = "chats/session-x.jsonl"): RecordingSink {
  return readFile(gemini.lines, text, path);
}

async function readDocument(name: string): Promise<RecordingSink> {
  const sink = new RecordingSink();
  const value = JSON.parse(fixture(name)) as JsonObject;
  await gemini.document.read(
    { value, line: null, offset: null },
    sink,
    surroundings(`${FOLDER}/${name}`),
    new FoundBefore(),
  );
  return sink;
}

const chain = (sink: RecordingSink) =>
  sink.conversations[0]?.entries.map(({ id, parent }) => `${id} < ${parent}`) ?? [];

const META = { sessionId: "s1", projectHash: "h", startTime: "2026-04-01T08:00:00.000Z" };
const lines = (...records: object[]) => records.map((record) => JSON.stringify(record)).join("\n");
const user = (id: string, content: Json): JsonObject => ({ id, type: "user", content });
const answered = (id: string, content: Json, more: JsonObject = {}): JsonObject => ({
  id,
  type: "gemini",
  content,
  ...more,
});

describe("a recording", () => {
  const sink = read("chats/session-2026-04-01T08-00-9e111000.jsonl");
  const [main] = sink.conversations;

  it("is a conversation with what its first line says", () => {
    expect(main?.start).toMatchObject({
      ...{ sourceId: MAIN, createdAt: Date.parse("2026-04-01T08:00:00.000Z"), model: "gemini-3-pro" },
      about: { projectHash: "f00d".repeat(16), kind: "main", directories: ["/home/robin/garden"] },
    });
    expect(main?.start.parent).toBeUndefined();
  });

  it("is titled by its summary, or else by the displayed prompt", () => {
    expect(main?.start.title).toBe("Three notes");
    const withoutSummary = fixture("chats/session-2026-04-01T08-00-9e111000.jsonl").replace(
      "summary",
      "other",
    );
    expect(readText(withoutSummary).conversations[0]?.start.title).toBe("Read the notes");
  });

  it("adds its messages one after the other, without those of the program", () => {
    expect(chain(sink)).toEqual([
      ...["g1 < null", "g2 < g1", "g2/results < g2", "g4 < g2/results", "g7 < g4"],
    ]);
    expect(main?.notes.map(({ line }) => line).sort((a, b) => Number(a) - Number(b))).toEqual([
      ...[1, 3, 7, 9, 10, 11],
    ]);
  });

  it("adds a message that was written several times once, with all its records", () => {
    expect(main?.entries[1]?.records.map(({ line }) => line)).toEqual([4, 5, 6]);
  });

  it("converts thoughts, text and calls to blocks", () => {
    expect(main?.entries[1]?.message?.content).toEqual([
      { type: "thinking", thinking: "Notes\nThey must be read." },
      { type: "text", text: "I read them." },
      { type: "tool_use", id: "call-1", name: "read_file", input: { path: "notes" } },
      { type: "tool_use", id: "call-2", name: "codebase_agent", input: { path: "notes" } },
      { type: "tool_use", id: "call-3", name: "write_file", input: { path: "notes" } },
      { type: "tool_use", id: "call-4", name: "list", input: { path: "notes" } },
    ]);
  });

  it("adds the results of calls as a message of the user, without calls that were not run", () => {
    expect(main?.entries[2]).toMatchObject({ at: Date.parse("2026-04-01T08:30:00.000Z") });
    expect(main?.entries[2]?.message).toMatchObject({
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: "call-1", content: "three notes" },
        { type: "tool_result", tool_use_id: "call-2", content: "done" },
        { type: "tool_result", tool_use_id: "call-3", content: "Stopped by the user", is_error: true },
      ],
    });
    expect(main?.entries[2]?.records).toHaveLength(1);
  });

  it("counts what came from the cache apart from the input", () => {
    expect(main?.entries[1]?.message?.usage).toEqual({
      ...{ input_tokens: 400, output_tokens: 40, cache_read_input_tokens: 600, reasoning_tokens: 25 },
    });
    expect(main?.entries[3]?.message).not.toHaveProperty("usage");
  });

  it("keeps the original text, and images", () => {
    expect(main?.entries[0]?.message?.content).toEqual([
      { type: "text", text: "Read the notes @notes" },
      { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBORw==" } },
    ]);
    expect(main?.entries[3]?.message?.content).toBe("There are three notes.");
  });

  it("says of a result which sub-agent it is from", () => {
    expect(sink.conversations).toHaveLength(1);
    expect(main?.entries[2]?.message?.extra).toEqual({ gemini: { agents: { "call-2": "explorer-1" } } });
  });
});

describe("a sub-agent's recording", () => {
  it("belongs to the session that its folder is named after", () => {
    const [agent] = read(`chats/${MAIN}/explorer-1.jsonl`).conversations;
    expect(agent?.start).toMatchObject({ sourceId: "explorer-1", parent: { sourceId: MAIN } });
  });

  it("has no parent when it is among the others", () => {
    const sink = readText(lines({ ...META, kind: "subagent" }, user("a", "Hi")), "x/chats/s.jsonl");
    expect(sink.conversations[0]?.start.parent).toBeUndefined();
  });
});

describe("going back", () => {
  it("keeps rewound messages as a branch, and starts a new root for an unknown id", () => {
    expect(chain(read("rewound.jsonl"))).toEqual([
      ...["r1 < null", "r2 < r1", "r3 < r2", "r4 < r3"],
      ...["r5 < r2", "r6 < r5", "r7 < null"],
    ]);
  });

  it("goes after the results of the message before", () => {
    const done = { toolCalls: [{ id: "c", name: "n", args: {}, result: "ok", status: "success" }] };
    const records = [META, answered("a", "", done), user("b", "x"), { $rewindTo: "b" }, user("c", "y")];
    expect(chain(readText(lines(...records)))).toEqual([
      ...["a < null", "a/results < a", "b < a/results", "c < a/results"],
    ]);
  });

  it("may begin at a record that is not an entry", () => {
    const info = { id: "i", type: "info", content: "x" };
    const records = [META, user("a", "x"), info, user("b", "y"), { $rewindTo: "i" }, user("c", "z")];
    expect(chain(readText(lines(...records)))).toEqual(["a < null", "b < a", "c < a"]);
  });
});

describe("messages that are replaced", () => {
  const sink = read("replaced-messages.jsonl");
  const entries = sink.conversations[0]?.entries ?? [];

  it("stay where they are up to the first that is another", () => {
    expect(chain(sink).slice(0, 6)).toEqual([
      ...["s1 < null", "s2 < s1", "s3 < s2", "s4 < s3", "s5 < s2", "s6 < s5"],
    ]);
  });

  it("stay as they were when the list has them in another form", () => {
    expect(entries[1]?.message?.content).toBe("Long output");
    expect(entries[1]?.records).toHaveLength(1);
  });

  it("are copied after a new beginning when they continue there", () => {
    const [summary, five, six, eight] = entries.slice(6);
    expect(summary).toMatchObject({ id: "s7", parent: null });
    expect(five).toMatchObject({ parent: "s7", message: { content: "Instead of two" } });
    expect(six).toMatchObject({ parent: five?.id, message: { content: "Six" } });
    expect(eight).toMatchObject({ id: "s8", parent: six?.id });
    expect(new Set(entries.map(({ id }) => id)).size).toBe(entries.length);
  });

  it("keep the record that replaced them", () => {
    expect(sink.conversations[0]?.notes.map(({ line }) => line)).toEqual([1, 6, 8]);
  });
});

describe("a recording that is one document", () => {
  it("has the same entries as the recording that continues it", async () => {
    const old = (await readDocument("continued-from-json.json")).conversations[0];
    const [continued] = read("continued-from-json.jsonl").conversations;
    const strip = (list: NonNullable<typeof old>["entries"] = []) =>
      list.map(({ id, parent, at, message, records }) => {
        return { id, parent, at, message, values: records.map(({ value }) => value) };
      });
    expect(old?.start.sourceId).toBe(continued?.start.sourceId);
    expect(old?.entries.map(({ id }) => id)).toEqual(["j1", "j2", "j2/results"]);
    expect(strip(continued?.entries).slice(0, 3)).toEqual(strip(old?.entries));
    expect(continued?.entries.at(-1)).toMatchObject({ id: "j3", parent: "j2/results" });
    expect(old?.start.title).toBe("An old talk");
  });

  it("keeps what it says beside its messages", async () => {
    const [old] = (await readDocument("continued-from-json.json")).conversations;
    expect(old?.notes.map(({ value }) => Object.keys(value as object))).toEqual([
      ["sessionId", "projectHash", "startTime", "lastUpdated", "summary"],
    ]);
  });
});

describe("odd records", () => {
  const sink = read("odd-records.jsonl");
  const entries = sink.conversations[0]?.entries ?? [];

  it("are kept and reported when their type is not known", () => {
    expect(sink.unknowns).toEqual(["message oracle", "part hologram", "sundial"]);
    expect(sink.conversations[0]?.notes.map(({ line }) => line)).toEqual([1, 2, 6, 5]);
  });

  it("keep parts of any kind", () => {
    expect(entries[0]?.message?.content).toEqual([
      { type: "fileData", value: { fileData: { fileUri: "gs://x", mimeType: "text/plain" } } },
      { type: "unknown", value: { hologram: 1 } },
      { type: "text", text: "bare" },
      { type: "inlineData", value: { inlineData: { mimeType: "audio/wav", data: "UklG" } } },
    ]);
  });

  it("pair calls without an id by their order, and say so", () => {
    const [, answer, results] = entries;
    const calls = answer?.message?.content as { type: string; id: string }[];
    expect(calls.map(({ type }) => type)).toEqual(["thinking", "tool_use", "tool_use"]);
    expect(calls[1]).toMatchObject({ input: { value: [1] }, arguments: "[1]" });
    expect(results?.message?.content).toEqual([
      {
        ...{ type: "tool_result", tool_use_id: calls[1]?.id, paired: "order" },
        content: [
          { type: "text", text: "seen" },
          { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBORw==" } },
        ],
      },
      { type: "tool_result", tool_use_id: "call-5", content: "x" },
    ]);
  });

  it("do not answer a call twice when a message of the user repeats its result", () => {
    expect(JSON.stringify(entries)).not.toContain("seen again");
  });

  it("are read as far as they can be understood", () => {
    expect(entries[3]?.message?.content).toBe("No id");
    expect(entries[4]?.message).toEqual({ role: "assistant", content: [] });
  });

  it("never make the reader fail, whatever a property holds", () => {
    const values = [null, 0, "", "x", true, [], [null], {}, [{}], { messages: [1, {}] }];
    const members = [
      ...["id", "type", "content", "toolCalls", "thoughts", "tokens", "$set", "$rewindTo", "sessionId"],
      ...["timestamp", "model", "displayContent"],
    ];
    const records = members.flatMap((member) =>
      values.map((value) => ({ ...answered("a", "b"), [member]: value })),
    );
    expect(() => readText(lines(META, ...records))).not.toThrow();
    expect(() => readText(lines(...records))).not.toThrow();
  });

  it("may be nested as deeply as they like", () => {
    const deep = JSON.parse(`${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)}`) as Json;
    const other = new RecordingSink();
    const reader = gemini.lines.open(other, surroundings("x.jsonl"), undefined);
    const call = { args: [deep], result: [{ functionResponse: { response: deep } }], status: "success" };
    const values: JsonObject[] = [
      META,
      answered("a", [deep], { toolCalls: [call] }),
      { type: "user", content: [deep] },
    ];
    for (const value of [...values, { $set: { messages: values.slice(1) } }]) {
      reader.record({ value, line: null, offset: null });
      reader.end(false);
      reader.state();
    }
    reader.end(true);
    expect(other.conversations[0]?.entries.map(({ message }) => message?.role)).toEqual([
      ...["assistant", "user", "user"],
    ]);
  });

  it("are skipped when they are not objects", () => {
    expect(readText('"text"\n[1]').skipped.map(({ line }) => line)).toEqual([1, 2]);
  });
});

describe("a recording without its first line", () => {
  it("is named by a later one, or by its file", () => {
    const later = readText(lines(user("a", "x"), { $set: { sessionId: "s9" } }, user("b", "y")));
    expect(later.conversations[0]?.start.sourceId).toBe("s9");
    expect(chain(later)).toEqual(["a < null", "b < a"]);
    const never = readText(lines(user("a", "x")), "chats/session-lost.jsonl");
    expect(never.conversations[0]?.start.sourceId).toBe("session-lost");
  });
});

describe("continuing later", () => {
  const texts = {
    ...{ rewound: fixture("rewound.jsonl"), replaced: fixture("replaced-messages.jsonl") },
    plain: fixture("chats/session-2026-04-01T08-00-9e111000.jsonl"),
  };
  const cases = Object.entries(texts).flatMap(([name, text]) =>
    text
      .trim()
      .split("\n")
      .map((_, index, all) => [name, index + 1, all] as const),
  );

  it.each(cases)("makes the same of a %s recording when it stops after line %i", (_, count, all) => {
    const sink = new RecordingSink();
    const path = surroundings("chats/session-x.jsonl");
    const first = gemini.lines.open(sink, path, undefined);
    readLines(first, all.slice(0, count).join("\n"));
    first.end(false);
    const second = gemini.lines.open(sink, path, JSON.parse(JSON.stringify(first.state())) as Json);
    readLines(second, all.slice(count).join("\n"), count + 1);
    second.end(true);
    expect(chain(sink)).toEqual(chain(readText(all.join("\n"))));
  });

  it("holds back the last message, which may still grow, and adds the others", () => {
    const sink = new RecordingSink();
    const reader = gemini.lines.open(sink, surroundings("x.jsonl"), undefined);
    readLines(
      reader,
      lines(META, user("a", "x"), answered("b", "He"), { id: "i", type: "info", content: "" }),
    );
    reader.end(false);
    expect(chain(sink)).toEqual(["a < null"]);
    readLines(reader, lines(answered("b", "Hello")), 5);
    reader.end(true);
    expect(sink.lines()).toEqual(["user: x", "assistant: Hello"]);
  });

  it("adds a version that comes too late beside the first", () => {
    const sink = new RecordingSink();
    const first = gemini.lines.open(sink, surroundings("x.jsonl"), undefined);
    readLines(first, lines(META, user("a", "x"), answered("b", "He")));
    first.end(true);
    const second = gemini.lines.open(sink, surroundings("x.jsonl"), first.state());
    readLines(second, lines(answered("b", "Hello"), user("c", "y")), 4);
    second.end(true);
    expect(chain(sink)).toEqual(["a < null", "b < a", "b < a", "c < b"]);
    expect(sink.lines().slice(1, 3)).toEqual(["assistant: He", "assistant: Hello"]);
  });

  /** Two passes, both of which end as a single import does. */
  function readInTwo(before: string, after: string): RecordingSink {
    const sink = new RecordingSink();
    const first = gemini.lines.open(sink, surroundings("x.jsonl"), undefined);
    readLines(first, before);
    first.end(true);
    const saved = JSON.parse(JSON.stringify(first.state())) as Json;
    const second = gemini.lines.open(sink, surroundings("x.jsonl"), saved);
    readLines(second, after, 100);
    second.end(true);
    return sink;
  }

  it("adds only the calls of an answer that was added before they had run", () => {
    const result = [{ functionResponse: { id: "c1", response: { output: "ok" } } }];
    const toolCalls = [{ id: "c1", name: "run", args: {}, status: "success", result }];
    const [before, after] = [answered("b", "Looking."), answered("b", "Looking.", { toolCalls })];
    const sink = readInTwo(lines(META, user("a", "x"), before), lines(after, answered("d", "Done")));
    const calls = sink.conversations[0]?.entries[2]?.id;
    const added = ["a < null", "b < a", `${calls} < b`, `b/results < ${calls}`, "d < b/results"];
    expect(chain(sink)).toEqual(added);
    expect(sink.lines().slice(1, 3)).toEqual(["assistant: Looking.", "assistant: [tool_use]"]);
    const whole = readInTwo(lines(META, user("a", "x"), before, after), lines(answered("d", "Done")));
    expect(chain(whole)).toEqual(["a < null", "b < a", "b/results < b", "d < b/results"]);
    expect(whole.conversations[0]?.entries[1]?.aliases).toEqual([calls]);
  });

  it("leaves the last message as it is when the whole list brings it in another version", () => {
    const grown = { $set: { messages: [user("a", "[masked]"), answered("b", "Hello")] } };
    const sink = readInTwo(lines(META, user("a", "x"), answered("b", "He")), lines(grown));
    expect(chain(sink)).toEqual(["a < null", "b < a"]);
    expect(sink.conversations[0]?.leaf).toBe("b");
  });

  it("keeps the record of a version that says the same, and no more than that", () => {
    const before = lines(META, user("a", "x"), answered("b", "Hello"));
    const sink = readInTwo(before, lines(answered("b", "Hello", { tokens: { input: 7 } })));
    expect(chain(sink)).toEqual(["a < null", "b < a"]);
    expect(sink.conversations[0]?.notes.map(({ line }) => line)).toEqual([1, 100]);
  });

  it("shows the last message though an earlier one was added again, or what is left of a rewound one", () => {
    const before = lines(META, user("a", "x"), answered("b", "He"), user("c", "y"));
    expect(readInTwo(before, lines(answered("b", "Hello"))).conversations[0]?.leaf).toBe("c");
    expect(readInTwo(before, lines({ $rewindTo: "b" })).conversations[0]?.leaf).toBe("a");
  });

  it("stays small however long the recording, and continues after its end", () => {
    const sink = new RecordingSink();
    const reader = gemini.lines.open(sink, surroundings("x.jsonl"), undefined);
    const id = (index: number) => `00000000-0000-4000-8000-${String(index).padStart(12, "0")}`;
    reader.record({ value: META, line: 1, offset: 0 });
    const count = 25_000;
    for (let index = 0; index < count; index++) {
      reader.record({ value: user(id(index), "x".repeat(400)), line: index + 2, offset: index });
    }
    reader.end(false);
    const state = reader.state();
    expect(JSON.stringify(state).length).toBeLessThan(200_000);
    const second = gemini.lines.open(sink, surroundings("x.jsonl"), state);
    second.record({ value: { $rewindTo: id(count - 2) }, line: null, offset: null });
    second.record({ value: user("z", "z"), line: null, offset: null });
    second.end(true);
    expect(sink.conversations[0]?.entries).toHaveLength(count + 1);
    expect(sink.conversations[0]?.entries.at(-1)).toMatchObject({ id: "z", parent: id(count - 3) });
  });
});

describe("recognising a file", () => {
  it("says yes to its metadata, and to each form only its own", () => {
    const document = JSON.parse(fixture("continued-from-json.json")) as JsonObject;
    expect(gemini.lines.sniff([META], "x.jsonl")).toBe(true);
    expect(gemini.document.sniff(document)).toBe(true);
    expect(gemini.lines.sniff([document], "x.jsonl")).toBe(false);
    expect(gemini.document.sniff(META)).toBe(false);
  });

  it("says yes to any of its lines, where the metadata are lost", () => {
    const at = { timestamp: "2026-04-01T08:00:00.000Z" };
    expect(gemini.lines.sniff([{ ...user("a", "x"), ...at }], "x.jsonl")).toBe(true);
    expect(gemini.lines.sniff([{ type: "gemini", content: "x", ...at }], "x.jsonl")).toBe(true);
    expect(gemini.lines.sniff([{ $rewindTo: "a" }], "x.jsonl")).toBe(true);
    expect(gemini.lines.sniff([{ $set: { summary: "x" } }], "x.jsonl")).toBe(true);
    expect(gemini.lines.sniff([{ ...user("a", "x"), ...at, role: "user" }], "x.jsonl")).toBe(false);
    expect(gemini.lines.sniff([{ type: "user", content: "x", ...at }], "x.jsonl")).toBe(false);
    expect(gemini.lines.sniff([{ type: "info", id: "a", message: {}, ...at }], "x.jsonl")).toBe(false);
  });

  it("does not wait for lost metadata until the end of the file", () => {
    const sink = new RecordingSink();
    const reader = gemini.lines.open(sink, surroundings("chats/session-x.jsonl"), undefined);
    for (let index = 0; index < 300; index++) {
      reader.record({ value: user(`u${index}`, "x"), line: index + 1, offset: index });
    }
    expect(sink.conversations[0]?.start.sourceId).toBe("session-x");
    reader.end(true);
    expect(sink.conversations[0]?.entries).toHaveLength(300);
  });

  it("says no to a session of Claude Code", () => {
    expect(
      gemini.lines.sniff([{ type: "user", sessionId: "s", uuid: "u", parentUuid: null }], "x.jsonl"),
    ).toBe(false);
  });
});
