import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { RecordingSink, readFile, surroundings } from "../../../../test/support/samples/recording-sink.ts";
import { claudeCode } from "./index.ts";

const FOLDER = "test/fixtures/claude-code";

function read(name: string): RecordingSink {
  return readFile(claudeCode.lines, readFileSync(`${FOLDER}/${name}`, "utf8"), `${FOLDER}/${name}`);
}

function text(records: readonly object[]): string {
  return records.map((record) => JSON.stringify(record)).join("\n");
}

function readText(records: readonly object[], path = "session.jsonl"): RecordingSink {
  return readFile(claudeCode.lines, text(records), path);
}

const parents = (sink: RecordingSink, index = 0) =>
  Object.fromEntries((sink.conversations[index]?.entries ?? []).map(({ id, parent }) => [id, parent]));

const SESSION = "5e550000-0000-4000-8000-000000000000";
const user = (uuid: string, parentUuid: string | null, content: unknown, more: object = {}) => ({
  ...{ type: "user", uuid, parentUuid, sessionId: SESSION },
  ...{ message: { role: "user", content }, ...more },
});

describe("files of version 1.0", () => {
  const sink = read("1.0-inline-sidechains.jsonl");

  it("have the session without the words of its sub-agents", () => {
    expect(sink.conversations[0]?.start.sourceId).toBe("10000000-0000-4000-8000-000000000001");
    expect(sink.lines(0)).toEqual([
      "user: Caveat: what follows was written by commands.",
      "user: <command-name>/clear</command-name>",
      "user: Which beds need water?\nAnd which beans?",
      "assistant: I ask two helpers. [tool_use] [tool_use]",
      "user: [tool_result]",
      "user: [tool_result]",
      "assistant: Water the beds, leave the beans.",
      "user: Thank you",
    ]);
  });

  it("make each inline sub-agent a conversation that names the call with its prompt", () => {
    const session = "10000000-0000-4000-8000-000000000001";
    expect(sink.conversations.slice(1).map(({ start }) => [start.sourceId, start.parent])).toEqual([
      [`${session}/sidechain-s1`, { sourceId: session, toolUse: "toolu_beds", agent: "general-purpose" }],
      [`${session}/sidechain-t1`, { sourceId: session, toolUse: "toolu_beans" }],
      [`${session}/sidechain-w1`, { sourceId: session }],
    ]);
    expect(sink.lines(1)).toEqual(["user: Look at the beds", "assistant: Beds are dry."]);
    expect(sink.lines(2)).toEqual(["user: Look at the beans", "assistant: Beans are fine."]);
    expect(sink.conversations[1]?.start.title).toBe("Look at the beds");
  });

  it("keep what the program wrote, marked as such", () => {
    expect(sink.conversations[0]?.entries[0]?.message?.extra).toEqual({ "claude-code": { isMeta: true } });
    expect(sink.conversations[0]?.entries[2]?.message?.extra).toBeUndefined();
  });

  it("take the summary of a leaf in the same file for the title, and not that of another", () => {
    expect(sink.conversations[0]?.start.title).toBe("Beds and beans");
  });

  it("lead from a record that is not an entry to the entry above it", () => {
    expect(parents(sink)).toMatchObject({ m1: null, m2: "m1", m5: "m4", m6: "m5", m7: "m6", m9: "m7" });
  });
});

describe("files of version 2.0", () => {
  const sink = read("2.0-agent-files/20000000-0000-4000-8000-000000000002.jsonl");

  it("say of a result which sub-agent it is from", () => {
    expect(sink.conversations).toHaveLength(1);
    expect(sink.conversations[0]?.entries[2]?.message).toMatchObject({
      content: [{ type: "tool_result", tool_use_id: "toolu_seed" }],
      extra: { "claude-code": { agentId: "5eed0001" } },
    });
  });

  it("make a sub-agent's file a conversation with a parent", () => {
    const agent = read("2.0-agent-files/agent-5eed0001.jsonl");
    expect(agent.conversations).toHaveLength(1);
    expect(agent.conversations[0]?.start).toMatchObject({
      sourceId: "20000000-0000-4000-8000-000000000002/agent-5eed0001",
      parent: { sourceId: "20000000-0000-4000-8000-000000000002" },
      ...{ root: "g1", title: "Search for seeds", model: "claude-haiku-4-5" },
    });
    expect(parents(agent)).toEqual({ g1: null, g2: "g1", g3: "g2", g4: "g3" });
  });

  it("mark errors of the API, which no model wrote", () => {
    const last = sink.conversations[0]?.entries.at(-1);
    expect(last?.message?.extra).toEqual({ "claude-code": { isApiErrorMessage: true } });
    expect(sink.conversations[0]?.start.model).toBe("claude-sonnet-4-5");
  });

  it("do not take the messageId of a snapshot for an id", () => {
    expect(sink.conversations[0]?.start.root).toBe("a1");
    expect(sink.conversations[0]?.notes[0]?.value).toMatchObject({ type: "file-history-snapshot" });
    expect(parents(sink).a1).toBeNull();
  });

  it("use a summary after its leaf as the title", () => {
    expect(sink.conversations[0]?.start.title).toBe("Where the seeds are");
  });
});

describe("files of version 2.1", () => {
  const session = "21000000-0000-4000-8000-000000000003";
  const sink = read(`2.1-session/${session}.jsonl`);
  const [main] = sink.conversations;

  it("add messages in the order of the file, including queued prompts", () => {
    expect(sink.lines()).toEqual([
      "user: Read the rain log",
      "assistant: [thinking] [tool_use]",
      "user: [tool_result]",
      "user: also check the pond",
      "assistant: [tool_use]",
      "user: [tool_result]",
      "assistant: It rained, and the pond is full.",
      "user: Only shown here",
    ]);
    const queued = main?.entries[3];
    expect(queued).toMatchObject({ id: "c7", parent: "c6" });
    expect(queued?.message?.extra).toEqual({
      "claude-code": { attachment: "queued_command", commandMode: "prompt" },
    });
  });

  it("lead through attachments, progress and timings to the entries above them", () => {
    expect(parents(sink)).toEqual({
      ...{ c2: null, c3: "c2", c6: "c3", c7: "c6", c8: "c7", c10: "c8", c11: "c10", c13: "c11" },
    });
  });

  it("keep every line, in an entry or as a note", () => {
    const lines = readFileSync(`${FOLDER}/2.1-session/${session}.jsonl`, "utf8").trim().split("\n").length;
    const kept = [...(main?.entries ?? []).flatMap(({ records }) => records), ...(main?.notes ?? [])];
    expect(kept.map(({ line }) => line).sort((a, b) => Number(a) - Number(b))).toEqual(
      Array.from({ length: lines }, (_, index) => index + 1),
    );
  });

  it("replace the preview of a long output with its file", () => {
    expect(main?.entries[2]?.message?.content).toEqual([
      {
        type: "tool_result",
        tool_use_id: "toolu_log",
        content: [
          {
            type: "text",
            text: expect.stringContaining("<persisted-output>"),
            source: { type: "file", name: `${session}/tool-results/toolu_log.txt` },
          },
        ],
      },
    ]);
  });

  it("find the long output of a sub-agent from its file", () => {
    const agent = read(`2.1-session/${session}/subagents/agent-a90nd0000001.jsonl`);
    expect(agent.conversations[0]?.start.sourceId).toBe(`${session}/agent-a90nd0000001`);
    expect(agent.conversations[0]?.entries[2]?.message?.content).toMatchObject([
      { content: [{ source: { name: "../tool-results/toolu_depth.txt" } }] },
    ]);
  });

  it("prefer a custom title to all others, whatever comes later", () => {
    expect(main?.start.title).toBe("The wet spring");
  });

  it("mark records that were only displayed", () => {
    expect(main?.entries.at(-1)?.message?.extra).toEqual({
      "claude-code": { isVisibleInTranscriptOnly: true },
    });
  });

  it("open the conversation with what its first line of the tree says", () => {
    expect(main?.start).toMatchObject({
      ...{ sourceId: session, root: "c1", createdAt: Date.parse("2026-03-01T09:00:01.000Z") },
      about: { cwd: "/home/robin/garden", version: "2.1.80", gitBranch: "main", entrypoint: "cli" },
    });
    expect(main?.start.parent).toBeUndefined();
  });
});

describe("copies of a session", () => {
  it("have the root of the original and a different name", () => {
    const [old, fork] = ["60000000-0000-4000-8000-000000000007", "61000000-0000-4000-8000-000000000008"];
    const starts = [old, fork].map((id) => read(`fork-session/${id}.jsonl`).conversations[0]?.start);
    expect(starts.map((start) => [start?.sourceId, start?.root])).toEqual([
      [old, "q1"],
      [fork, "q1"],
    ]);
  });
});

describe("forks", () => {
  const sink = read("real-forks.jsonl");

  it("keep the parent of an edit and of a second answer", () => {
    expect(parents(sink)).toMatchObject({ f3: "f2", f5: "f2", f6: "f5", f7: "f5" });
  });

  it("are made by a second result of the same call", () => {
    expect(parents(sink)).toMatchObject({ f9: "f8", f10: "f8", f11: "f10" });
  });
});

describe("titles", () => {
  const prompt = user("u1", null, "First\nsecond");
  const ai = { type: "ai-title", aiTitle: "By the model", sessionId: SESSION };
  const last = { type: "last-prompt", lastPrompt: "The last prompt\nof all", sessionId: SESSION };
  const summary = { type: "summary", summary: "In short", leafUuid: "u1" };
  const titleOf = (...records: object[]) => readText(records).conversations[0]?.start.title;

  it("are found in the order of how much they say", () => {
    expect(titleOf(prompt)).toBe("First");
    expect(titleOf(prompt, summary)).toBe("In short");
    expect(titleOf(last, prompt, summary)).toBe("The last prompt");
    expect(titleOf(ai, prompt, last)).toBe("By the model");
    expect(titleOf(prompt, { ...ai, type: "custom-title", customTitle: "Mine" }, ai)).toBe("Mine");
    expect(titleOf(prompt, ai, { ...ai, aiTitle: "Better" })).toBe("Better");
  });

  it("are not tool results, command output or words of the program", () => {
    const result = user("u0", null, [{ type: "tool_result", tool_use_id: "t", content: "x" }]);
    const output = user("u0", null, "<local-command-stdout>done</local-command-stdout>");
    const meta = user("u0", null, "Caveat", { isMeta: true });
    for (const other of [result, output, meta]) expect(titleOf(other, prompt)).toBe("First");
  });
});

describe("recognising a file", () => {
  it.each([
    ["a message", [user("u1", null, "Hello")]],
    ["a record beside the tree", [{ type: "mode", mode: "normal", sessionId: SESSION }]],
    ["a summary", [{ type: "summary", summary: "x", leafUuid: "y" }]],
    ["a snapshot", [{ type: "file-history-snapshot", messageId: "m", snapshot: {} }]],
  ])("says yes to %s", (_, records) => {
    expect(claudeCode.lines.sniff(records as never, "x.jsonl")).toBe(true);
  });

  it.each([
    ["a recording of Gemini CLI", [{ sessionId: "x", projectHash: "y", kind: "main" }]],
    ["a session of pi", [{ type: "session", id: "x", version: 3 }]],
    ["the history of prompts", [{ display: "hi", timestamp: 1, project: "/x", sessionId: "y" }]],
    ["a message without a session", [{ type: "user", message: { role: "user", content: "Hello" } }]],
  ])("says no to %s", (_, records) => {
    expect(claudeCode.lines.sniff(records as never, "x.jsonl")).toBe(false);
  });
});

describe("odd records", () => {
  const sink = read("odd-records.jsonl");
  const [main] = sink.conversations;
  const byId = (id: string) => main?.entries.filter((entry) => entry.id === id) ?? [];

  it("keep the name of a parent that was never written", () => {
    expect(byId("o1")[0]?.parent).toBe("never-written");
  });

  it("are added twice when an id occurs twice", () => {
    expect(byId("o2").map(({ message }) => message?.content)).toEqual(["First version", "Second version"]);
  });

  it("are kept and reported when their type is not known", () => {
    expect(sink.unknowns).toEqual([
      ...["hologram", "attachment star_chart", "system solar_flare"],
      ...["block (no type)", "block hologram", "sundial"],
    ]);
    expect(byId("o4")[0]?.parent).toBe("o2");
    expect(main?.notes.map(({ value }) => (value as { type: string }).type)).toEqual([
      ...["hologram", "progress", "progress", "attachment", "system", "assistant", "sundial"],
    ]);
  });

  it("do not lead in circles", () => {
    expect(byId("o7")[0]?.parent).toBe("o6");
  });

  it("get an id when they are messages without one, the same each time", () => {
    const found = (source: RecordingSink) =>
      source.conversations[0]?.entries.find(({ message }) => message?.content === "No uuid");
    expect(found(sink)?.id).toMatch(/^[0-9a-f]{32}$/);
    expect(found(sink)?.id).toBe(found(read("odd-records.jsonl"))?.id);
    expect(found(sink)?.parent).toBeUndefined();
  });

  it("keep invalid blocks, and arguments that are not objects", () => {
    expect(byId("o10")[0]?.message?.content).toEqual([
      { type: "text", text: "fine" },
      { type: "unknown", value: { type: "text" } },
      { type: "text", text: "bare" },
      { type: "unknown", value: 7 },
      { type: "unknown", value: { no: "type" } },
      { type: "hologram", beam: 1 },
      { type: "unknown", value: { type: "tool_result", content: "lost" } },
    ]);
    expect(byId("o11")[0]?.message?.content).toEqual([
      { type: "tool_use", id: expect.any(String), name: "Bash", input: {}, arguments: "ls -l" },
      { type: "tool_use", id: "toolu_n", name: "Bash", input: { value: [1] }, arguments: "[1]" },
    ]);
    expect(byId("o11")[0]?.message).not.toHaveProperty("stopReason");
    expect(byId("o13")[0]?.message?.content).toEqual([]);
  });

  it("are skipped when they are not objects", () => {
    const odd = readFile(claudeCode.lines, '"a text"\n[1]\nnull', "x.jsonl");
    expect(odd.skipped.map(({ line }) => line)).toEqual([1, 2, 3]);
  });

  it("never make the reader fail, whatever a property holds", () => {
    const values = [null, 0, "", "x", true, [], [null], {}, { type: 1 }, { content: { deep: [1] } }];
    const members = [
      ...["uuid", "parentUuid", "type", "message", "attachment", "sessionId", "timestamp", "agentId"],
      ...["isSidechain", "toolUseResult", "compactMetadata", "subtype", "logicalParentUuid", "data"],
    ];
    for (const type of ["user", "assistant", "system", "attachment", "summary"]) {
      const records = members.flatMap((member) =>
        values.map((value) => ({
          ...user("u", "p", "Hello"),
          type,
          subtype: "compact_boundary",
          [member]: value,
        })),
      );
      expect(() => readText(records)).not.toThrow();
    }
  });

  it("may be nested as deeply as they like", () => {
    const deep = JSON.parse(`${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)}`);
    const sinkOf = new RecordingSink();
    const reader = claudeCode.lines.open(sinkOf, surroundings("x.jsonl"), undefined);
    const blocks = [{ type: "tool_use", id: "t", name: "n", input: [deep] }, deep];
    for (const [line, type] of ["user", "assistant", "system"].entries()) {
      const { uuid: _, ...value } = { ...user("u", null, blocks), type, subtype: "compact_boundary" };
      reader.record({ value: value as never, line, offset: 0 });
      reader.end(false);
      reader.state();
    }
    reader.end(true);
    expect(sinkOf.conversations[0]?.entries).toHaveLength(2);
  });

  it("may have an id that is too long for the store", () => {
    const long = "x".repeat(300);
    const sinkOf = readText([user(long, null, "One"), user("u2", long, "Two")]);
    const [first, second] = sinkOf.conversations[0]?.entries ?? [];
    expect(first?.id.length).toBeLessThanOrEqual(256);
    expect(second?.parent).toBe(first?.id);
  });
});

describe("what version 2.1.325 attaches to messages", () => {
  it("is kept as context, and not reported as unknown", () => {
    // A line of each type, from sessions with hooks, a goal, a budget, an output style and a language.
    const sink = read("2.1.325-attachments.jsonl");
    expect(sink.unknowns).toEqual([]);
    expect(sink.conversations.map(({ entries, notes }) => [entries.length, notes.length])).toEqual([[0, 10]]);
  });
});

describe("a file without a session", () => {
  it("is named after itself when it says nothing at all", () => {
    const sink = readText([{ type: "summary", summary: "x", leafUuid: "y" }], "folder/lonely.jsonl");
    expect(sink.conversations.map(({ start, notes }) => [start.sourceId, notes.length])).toEqual([
      ["lonely", 1],
    ]);
  });
});

describe("damaged lines", () => {
  it("leave the good ones readable", () => {
    const lines = readFileSync(`${FOLDER}/glued-blank-and-torn-lines.jsonl`, "utf8").split("\n");
    expect(lines).toHaveLength(4);
    expect(() => JSON.parse(lines[0] as string)).toThrow();
    expect(() => JSON.parse(lines[3] as string)).toThrow();
    expect(readText([JSON.parse(lines[2] as string)]).lines()).toEqual(["user: Three"]);
  });
});
