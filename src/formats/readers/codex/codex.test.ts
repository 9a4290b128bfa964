import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import {
  RecordingSink,
  readFile,
  readLines,
  surroundings,
} from "../../../../test/support/samples/recording-sink.ts";
import type { Json, JsonObject } from "../../../util/json.ts";
import type { SourceEntry } from "../../contract/reader.ts";
import { FoundBefore } from "../../import/forks/found-before.ts";
import { codex } from "./index.ts";

const fixture = (name: string): string => readFileSync(`test/fixtures/codex/${name}`, "utf8");

function read(text: string, path = "rollout.jsonl"): RecordingSink {
  return readFile(codex.lines, text, path);
}

function entriesOf(sink: RecordingSink): SourceEntry[] {
  return sink.conversations[0]?.entries ?? [];
}

const blocksOf = (entry: SourceEntry | undefined): readonly JsonObject[] =>
  (entry?.message?.content ?? []) as readonly JsonObject[];

const idsOf = (sink: RecordingSink): string[] => entriesOf(sink).map(({ id }) => id);

const line = (type: string, payload: JsonObject): string =>
  JSON.stringify({ timestamp: "2026-02-03T09:00:00.000Z", type, payload });
const said = (role: string, text: string): string =>
  line("response_item", { type: "message", role, content: [{ type: "input_text", text }] });
const shown = (message: string): string => line("event_msg", { type: "user_message", message });

describe("codex lines", () => {
  const sink = read(fixture("typed-lines.jsonl"), "home/archived_sessions/rollout.jsonl");
  const entries = entriesOf(sink);
  const at = (index: number): SourceEntry => entries[index] as SourceEntry;

  it("are recognised by their first record, by the header of early files, and without a header", () => {
    const records = (name: string): JsonObject[] =>
      fixture(name)
        .trim()
        .split("\n")
        .map((text) => JSON.parse(text));
    expect(codex.lines.sniff(records("typed-lines.jsonl"), "x.jsonl")).toBe(true);
    expect(codex.lines.sniff(records("typed-lines.jsonl").slice(1), "x.jsonl")).toBe(true);
    expect(codex.lines.sniff(records("bare-lines.jsonl"), "x.jsonl")).toBe(true);
    expect(
      codex.lines.sniff([{ type: "session", id: "a", timestamp: "2026-01-01T00:00:00Z" }], "x.jsonl"),
    ).toBe(false);
    expect(
      codex.lines.sniff(
        [{ id: "a", timestamp: "2026-01-01T00:00:00Z", role: "user", instructions: "" }],
        "x.jsonl",
      ),
    ).toBe(false);
  });

  it("say what the conversation is", () => {
    expect(sink.conversations).toHaveLength(1);
    expect(sink.conversations[0]?.start).toMatchObject({
      sourceId: "0199aaaa-0000-7000-8000-00000000000a",
      root: "0199aaaa-0000-7000-8000-00000000000a",
      createdAt: Date.UTC(2026, 1, 3, 9),
      model: "gpt-6-codex",
      about: { cwd: "/home/ada/harbour", version: "0.99.0", git_branch: "main", archived: true },
    });
  });

  it("become messages in order, each once although events repeat them", () => {
    expect(sink.lines().map((text) => text.slice(0, 46))).toEqual(
      [
        "system: Answer in short sentences.",
        "user: <environment_context>\n  <cwd>/home/ada/h",
        "user: How many berths does the harbour have?  ",
        "assistant: [thinking] [redacted_thinking] [too",
        "user: [tool_result]",
        "user: [tool_result]",
        "assistant: [tool_use]",
        "user: [tool_result]",
        "assistant: [tool_use]",
        "user: [tool_result]",
        "assistant: [tool_use] [tool_use]",
        "user: [tool_result]",
        "assistant: [image]",
        "assistant: The harbour has 12 berths.",
        "user: And how deep is it?",
        "user: <turn_aborted>The person interrupted thi",
        "user: The chart says 4 metres.",
      ].map((text) => text.slice(0, 46)),
    );
  });

  it("mark what Codex said for the person, and only that", () => {
    const marked = entries.filter(
      ({ message }) => (message?.extra?.codex as JsonObject | undefined)?.injected,
    );
    expect(marked.map(({ message }) => String(message?.content).slice(0, 14))).toEqual([
      "<environment_c",
      "<turn_aborted>",
    ]);
    expect(at(2).message?.extra).toBeUndefined();
    expect(at(14).message?.extra).toBeUndefined();
  });

  it("keep a prompt with its images exactly, with the event that shows it", () => {
    const content = blocksOf(at(2));
    expect(content[0]).toEqual({ type: "text", text: "How many berths does the harbour have?  \n" });
    expect(content[2]).toMatchObject({ type: "image", source: { type: "base64", media_type: "image/png" } });
    expect(at(2).records.map(({ line }) => line)).toEqual([6, 7]);
  });

  it("make instructions of a developer a system message", () => {
    expect(at(0).message).toEqual({
      role: "system",
      content: "Answer in short sentences.",
      extra: { codex: { role: "developer" } },
    });
  });

  it("join thoughts with the calls that follow, and add the counts and the model", () => {
    expect(at(3).message).toEqual({
      role: "assistant",
      content: [
        { type: "thinking", thinking: "**Looking for the list of berths**" },
        { type: "redacted_thinking", data: "gAAAAsecret" },
        { type: "tool_use", id: "call_ls", name: "shell", input: { command: ["ls", "berths"] } },
        {
          type: "tool_use",
          id: "call_read",
          name: "read",
          input: {},
          arguments: "not json {",
          namespace: "files",
        },
      ],
      model: "gpt-6-codex",
      usage: { input_tokens: 200, output_tokens: 80, cache_read_input_tokens: 1000, reasoning_tokens: 30 },
    });
    expect(at(3).records.map(({ line }) => line)).toEqual([8, 10, 11, 12]);
  });

  it("assign counts that come after the output to the answer before it", () => {
    expect(at(6).message?.usage).toMatchObject({ input_tokens: 300, output_tokens: 40 });
    expect(at(6).message?.content).toEqual([
      {
        type: "tool_use",
        id: "call_patch",
        name: "apply_patch",
        input: {},
        arguments: "*** Begin Patch\n*** End Patch",
      },
    ]);
  });

  it("create a message for each output, whatever its shape", () => {
    expect(at(4).message?.content).toEqual([
      { type: "tool_result", tool_use_id: "call_ls", content: "north\nsouth\n" },
    ]);
    expect(at(5).message?.content).toMatchObject([{ content: [{ type: "text" }, { type: "image" }] }]);
    expect(at(9).message?.content).toEqual([
      { type: "tool_result", tool_use_id: "call_local", content: "no such file", is_error: true },
    ]);
    expect(at(11).message?.content).toEqual([
      { type: "tool_result", tool_use_id: "call_find", content: '[{"name":"tide_table"}]' },
    ]);
  });

  it("know the other kinds of calls", () => {
    expect(at(8).message?.content).toMatchObject([
      { name: "local_shell", input: { type: "exec", command: ["wc", "-l", "berths"] } },
    ]);
    expect(at(10).message?.content).toMatchObject([
      { name: "web_search", id: expect.stringMatching(/^[0-9a-f]{32}$/), input: { query: "harbour berths" } },
      { name: "tool_search", id: "call_find", input: { query: "tide" } },
    ]);
    expect(at(12).message?.content).toMatchObject([
      { type: "image", source: { media_type: "image/png" }, revised_prompt: "a map of the harbour" },
    ]);
  });

  it("keep the phase of an answer and the sender of another agent's words", () => {
    expect(at(13).message?.extra).toEqual({ codex: { phase: "final_answer" } });
    expect(at(16).message).toMatchObject({
      role: "user",
      extra: { codex: { author: "/root/scout", recipient: "/root" } },
    });
  });

  it("keep compactions, with or without a readable summary", () => {
    expect(at(17)).toMatchObject({
      kind: "compaction",
      data: { summary: "Twelve berths; depth unknown so far.", strategy: "codex", first_kept: null },
    });
    expect(JSON.stringify(at(17).records)).toContain("replacement_history");
    expect(at(18)).toMatchObject({ kind: "info", data: { type: "compaction" } });
    expect(entries).toHaveLength(19);
  });

  it("chain entries and know their times", () => {
    expect(entries.map(({ parent }) => parent)).toEqual([null, ...idsOf(sink).slice(0, -1)]);
    expect(at(0).at).toBe(Date.UTC(2026, 1, 3, 9, 0, 3));
  });

  it("lose no record and report unknown ones", () => {
    const kept = [...entries.flatMap(({ records }) => records), ...(sink.conversations[0]?.notes ?? [])];
    const lines = kept.map(({ line }) => line as number).sort((a, b) => a - b);
    expect(lines).toEqual(
      fixture("typed-lines.jsonl")
        .trim()
        .split("\n")
        .map((_, index) => index + 1),
    );
    expect(sink.unknowns).toEqual(["event_msg moon_phase", "response_item hologram"]);
    expect(sink.skipped).toEqual([]);
  });
});

describe("codex prompts", () => {
  const META = line("session_meta", { id: "t" });

  it("are known by the event, before or after the item", () => {
    const before = read([META, shown("a"), said("user", "a"), said("assistant", "b")].join("\n"));
    const after = read([META, said("user", "a"), shown("a"), said("assistant", "b")].join("\n"));
    expect(before.lines()).toEqual(["user: a", "assistant: b"]);
    expect(after.lines()).toEqual(before.lines());
    expect(idsOf(after)).toEqual(idsOf(before));
    expect(entriesOf(before)[0]?.message?.extra).toBeUndefined();
  });

  it("are kept when only an event has them", () => {
    const sink = read([META, said("user", "context"), shown("a"), said("assistant", "b")].join("\n"));
    expect(sink.lines()).toEqual(["user: context", "user: a", "assistant: b"]);
    expect(entriesOf(sink).map(({ message }) => message?.extra !== undefined)).toEqual([true, false, false]);
  });

  it("are distinguished from context that an event of the first releases marks", () => {
    const event = line("event_msg", { type: "user_message", message: "env", kind: "environment_context" });
    const sink = read([META, said("user", "env"), event, said("user", "a"), shown("a")].join("\n"));
    expect(entriesOf(sink).map(({ message }) => message?.extra !== undefined)).toEqual([true, false]);
  });

  it("stay two when the user says the same twice", () => {
    const twice = [said("user", "go"), shown("go"), said("assistant", "done")];
    const sink = read([META, ...twice, ...twice].join("\n"));
    expect(sink.lines()).toHaveLength(4);
    expect(new Set(idsOf(sink)).size).toBe(4);
  });
});

describe("codex branches", () => {
  const rolled = read(fixture("rolled-back.jsonl"));
  const [env, first, heron, another, plover, third, curlew, again, osprey] = entriesOf(
    rolled,
  ) as SourceEntry[];

  it("hang what follows a rollback before the turns that were rolled back", () => {
    expect(rolled.lines()).toHaveLength(9);
    expect(again?.message?.content).toBe("Another one.");
    expect(again?.parent).toBe(heron?.id);
    expect(again?.id).not.toBe(another?.id);
    expect(osprey?.parent).toBe(again?.id);
    expect(another?.parent).toBe(heron?.id);
    expect([plover?.parent, third?.parent, curlew?.parent]).toEqual([another?.id, plover?.id, third?.id]);
    expect([env?.parent, first?.parent]).toEqual([null, env?.id]);
    expect(rolled.conversations[0]?.leaf).toBe(osprey?.id);
  });

  it("show the entry before the rollback when nothing follows it", () => {
    const lines = fixture("rolled-back.jsonl").trim().split("\n").slice(0, -3);
    expect(read(lines.join("\n")).conversations[0]?.leaf).toBe(heron?.id);
  });

  it("cannot roll back beyond the beginning", () => {
    const back = line("event_msg", { type: "thread_rolled_back", num_turns: 99 });
    const sink = read(
      [line("session_meta", { id: "t" }), said("user", "a"), shown("a"), back, shown("b")].join("\n"),
    );
    const [prompt, reset, next] = entriesOf(sink);
    expect(reset).toMatchObject({
      kind: "info",
      parent: null,
      data: { type: "reset", reason: "rolled-back" },
    });
    expect([prompt?.parent, next?.parent]).toEqual([null, reset?.id]);
  });

  it("show nothing of a thread that was rolled back as a whole", () => {
    const back = line("event_msg", { type: "thread_rolled_back", num_turns: 1 });
    const lines = [line("session_meta", { id: "t" }), shown("a"), said("assistant", "b"), back];
    const { entries = [], leaf } = read(lines.join("\n")).conversations[0] ?? {};
    expect(leaf).toBe(entries[2]?.id);
    expect(entries[2]).toMatchObject({ kind: "info", parent: null });
  });

  it("assign repeated entries of a fork the same ids, though times and events differ", () => {
    const fork = read(fixture("fork.jsonl"));
    expect(idsOf(fork).slice(0, 3)).toEqual([env?.id, first?.id, heron?.id]);
    expect(fork.conversations[0]?.start).toMatchObject({
      sourceId: "0199aaaa-0000-7000-8000-00000000000f",
      root: "0199aaaa-0000-7000-8000-0000000000b1",
    });
    expect(fork.conversations).toHaveLength(1);
    expect(fork.lines().at(-1)).toBe("assistant: Captain Reed.");
  });

  it("make a sub-agent a separate conversation below its parent", () => {
    const sub = read(fixture("sub-agent.jsonl"));
    expect(sub.conversations[0]?.start).toMatchObject({
      sourceId: "0199aaaa-0000-7000-8000-00000000005b",
      root: "0199aaaa-0000-7000-8000-00000000005b",
      parent: { sourceId: "0199aaaa-0000-7000-8000-00000000000a", agent: "Scout" },
    });
    expect(sub.lines()).toEqual(["user: Find the depth.", "assistant: Four metres."]);
  });

  it("report that the beginning is in another file", () => {
    const sink = read(fixture("continued-from-another-file.jsonl"));
    expect(sink.unresolvedReferences[0]).toContain("0199aaaa-0000-7000-8000-0000000000ff:42");
    expect(entriesOf(sink).map(({ flags }) => flags)).toEqual([["history-elsewhere"], undefined]);
  });
});

describe("early and recent files of Codex", () => {
  it("of bare lines that lost their first one are read as such, under the id of their name", () => {
    const text = fixture("bare-lines.jsonl");
    const path = "sessions/rollout-2025-06-01T10-00-00-5973b6c0-94b8-487b-a530-2aeb6098ae0e.jsonl";
    const torn = read(text.slice(text.indexOf("\n") + 1), path);
    expect(torn.conversations[0]?.start.sourceId).toBe("5973b6c0-94b8-487b-a530-2aeb6098ae0e");
    const messages = (sink: RecordingSink): unknown[] => entriesOf(sink).map(({ message }) => message);
    expect(messages(torn)).toEqual(messages(read(text, path)));
  });

  it.each([
    { type: "message", role: "user", content: [{ type: "input_text", text: "Hello" }] },
    { type: "reasoning", id: "rs_1", summary: [] },
    { type: "function_call", name: "shell", arguments: "{}" },
    { type: "function_call_output", output: "a" },
    { type: "compacted", timestamp: "2026-01-01T00:00:00Z", payload: { message: "So far." } },
  ])("are recognised by any of their lines: $type", (record) => {
    expect(codex.lines.sniff([record], "x.jsonl")).toBe(true);
  });

  it.each([
    { type: "message", message: { role: "user", content: [{ type: "input_text", text: "Hello" }] } },
    { type: "message", role: "user", content: "Hello" },
    { type: "reasoning", text: "Hm" },
    { type: "function_call", function: { name: "x" } },
    { type: "compacted", payload: {} },
  ])("are not found in lines of others: %j", (record) => {
    expect(codex.lines.sniff([record], "x.jsonl")).toBe(false);
  });

  it("of bare lines have prompts without events, and calls paired by order", () => {
    const sink = read(fixture("bare-lines.jsonl"));
    expect(sink.conversations[0]?.start.sourceId).toBe("5973b6c0-94b8-487b-a530-2aeb6098ae0e");
    expect(sink.lines()).toEqual([
      "user: List the ferries.",
      "assistant: [tool_use]",
      "user: [tool_result]",
      "assistant: Ferries a and b.",
      "user: Thanks.",
    ]);
    expect(entriesOf(sink).every(({ message }) => message?.extra === undefined)).toBe(true);
    const [call] = blocksOf(entriesOf(sink)[1]);
    const [result] = blocksOf(entriesOf(sink)[2]);
    expect(result).toMatchObject({ tool_use_id: call?.id, paired: "order" });
    expect(sink.conversations[0]?.notes.map(({ line }) => line)).toEqual([1, 2, 4, 5]);
  });

  it("of one JSON value are read item by item", async () => {
    const value: JsonObject = JSON.parse(fixture("first-release.json"));
    expect(codex.document.sniff(value)).toBe(true);
    expect(codex.document.sniff({ session: {}, items: [] })).toBe(false);
    const sink = new RecordingSink();
    await codex.document.read(
      { value, line: null, offset: null },
      sink,
      surroundings("rollout.json"),
      new FoundBefore(),
    );
    expect(sink.conversations[0]?.start.sourceId).toBe("11111111-2222-4333-8444-555555555555");
    expect(sink.lines()).toEqual([
      "user: What is in this folder?",
      "assistant: [tool_use]",
      "user: [tool_result]",
      "assistant: One file: boats.txt.",
    ]);
    const kept = [
      ...entriesOf(sink).flatMap(({ records }) => records),
      ...(sink.conversations[0]?.notes ?? []),
    ];
    expect(kept).toHaveLength(6);
  });

  it("of turn items only are conversations too", () => {
    const sink = read(fixture("turn-items.jsonl"));
    expect(sink.lines()).toEqual([
      "user: Count the gulls. [image: /home/ada/gulls.png]",
      "assistant: [thinking] [tool_use]",
      "user: [tool_result]",
      "assistant: [tool_use]",
      "user: [tool_result]",
      "assistant: Seven gulls.",
    ]);
    expect(entriesOf(sink)[2]?.message?.content).toEqual([
      { type: "tool_result", tool_use_id: "c1", content: "no such tool", is_error: true },
    ]);
    expect(entriesOf(sink)[4]?.message?.content).toMatchObject([{ tool_use_id: "c2", content: "seven" }]);
    expect(sink.unknowns).toEqual(["turn item Tide"]);
  });

  it("do not repeat turn items where model items are beside them", () => {
    const sink = read(fixture("turn-items-beside-model-items.jsonl"));
    expect(sink.lines()).toEqual(["user: Count the terns.", "assistant: Three terns."]);
    expect(entriesOf(sink)[0]?.message?.extra).toBeUndefined();
  });

  it("without any header are named after the file", () => {
    const path =
      "sessions/2026/02/03/rollout-2026-02-03T09-00-00-0199aaaa-0000-7000-8000-0000000000ee.jsonl.zst";
    expect(read(said("assistant", "b"), path).conversations[0]?.start.sourceId).toBe(
      "0199aaaa-0000-7000-8000-0000000000ee",
    );
  });

  it("survive properties of any shape", () => {
    const odd: Json[] = [null, 1, "x", [], {}, { type: null, payload: 7 }];
    const shapes = [
      "message",
      "reasoning",
      "function_call",
      "function_call_output",
      "custom_tool_call",
      "agent_message",
      "image_generation_call",
      "constructor",
      "toString",
    ];
    for (const type of shapes)
      odd.push({ type: "response_item", payload: { type } }, { type, role: 5, content: { a: 1 } });
    for (const type of [
      "user_message",
      "token_count",
      "thread_rolled_back",
      "item_completed",
      "thread_name_updated",
    ]) {
      odd.push({ type: "event_msg", payload: { type, item: 3, info: [], num_turns: "x", message: {} } });
    }
    odd.push(
      { type: "compacted", payload: {} },
      { type: "session_meta", payload: { id: 5, source: [], git: "x" } },
    );
    const sink = read(odd.map((value) => JSON.stringify(value)).join("\n"));
    expect(sink.unknowns).toContain("response_item constructor");
    expect(sink.skipped).toHaveLength(4);
  });
});

describe("reading on in a file of codex", () => {
  /** Read up to a line, keep the state as a string, and continue with another reader. */
  function readInTwo(text: string, lines: number): RecordingSink {
    const sink = new RecordingSink();
    const all = text.trim().split("\n");
    const first = codex.lines.open(sink, surroundings("rollout.jsonl"), undefined);
    readLines(first, all.slice(0, lines).join("\n"));
    first.end(false);
    const state = first.state();
    const second = codex.lines.open(
      sink,
      surroundings("rollout.jsonl"),
      state === undefined ? undefined : JSON.parse(JSON.stringify(state)),
    );
    readLines(second, all.slice(lines).join("\n"), lines + 1);
    second.end(true);
    return sink;
  }

  it.each([
    "typed-lines.jsonl",
    "rolled-back.jsonl",
    "bare-lines.jsonl",
    "turn-items.jsonl",
    "turn-items-beside-model-items.jsonl",
    "continued-from-another-file.jsonl",
  ])("has the same result as one pass, wherever it stopped: %s", (name) => {
    const text = fixture(name);
    const whole = read(text);
    for (let lines = 1; lines < text.trim().split("\n").length; lines++) {
      const parts = readInTwo(text, lines);
      expect(
        entriesOf(parts).map(({ id, parent, message, records }) => ({
          id,
          parent,
          message,
          lines: records.map(({ line }) => line),
        })),
      ).toEqual(
        entriesOf(whole).map(({ id, parent, message, records }) => ({
          id,
          parent,
          message,
          lines: records.map(({ line }) => line),
        })),
      );
      expect(parts.conversations[0]?.notes.length).toBe(whole.conversations[0]?.notes.length);
      expect(parts.conversations[0]?.leaf).toBe(whole.conversations[0]?.leaf);
    }
  });

  it("holds an answer that may continue, and adds it when the turn is over", () => {
    const sink = new RecordingSink();
    const reader = codex.lines.open(sink, surroundings("rollout.jsonl"), undefined);
    readLines(
      reader,
      [line("session_meta", { id: "t" }), said("user", "a"), shown("a"), said("assistant", "b")].join("\n"),
    );
    reader.end(false);
    expect(sink.lines()).toEqual(["user: a"]);
    readLines(reader, line("event_msg", { type: "task_complete" }));
    reader.end(false);
    expect(sink.lines()).toEqual(["user: a", "assistant: b"]);
  });

  it("keeps a small state in a long file, and none when too much is held", () => {
    const sink = new RecordingSink();
    const reader = codex.lines.open(sink, surroundings("rollout.jsonl"), undefined);
    const turn = [said("user", "go"), shown("go"), said("assistant", "done")].join("\n");
    readLines(
      reader,
      [line("session_meta", { id: "t" }), ...Array.from({ length: 3000 }, () => turn)].join("\n"),
    );
    reader.end(true);
    expect(JSON.stringify(reader.state()).length).toBeLessThan(80_000);
    readLines(reader, said("user", "x".repeat(300_000)));
    reader.end(false);
    expect(reader.state()).toBeUndefined();
  });
});

describe("the index beside the sessions", () => {
  const titleOf = (sourceId: string) =>
    codex.sideFile?.read(fixture("session_index.jsonl"))({ sourceId, title: "said" }).title;

  it("names each thread by the last name it was given, despite torn lines", () => {
    expect(titleOf("0199aaaa-0000-7000-8000-00000000000a")).toBe("Berths and depth");
    expect(titleOf("0199aaaa-0000-7000-8000-0000000000b1")).toBe("Boats");
  });

  it("leaves the title of a thread that it does not name", () => {
    expect(titleOf("0199aaaa-0000-7000-8000-0000000000ff")).toBe("said");
  });
});
