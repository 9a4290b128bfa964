import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import {
  RecordingSink,
  readFile,
  readLines,
  recordsIn,
  surroundings,
} from "../../../../test/support/samples/recording-sink.ts";
import type { Json, JsonObject } from "../../../util/json.ts";
import { madeId } from "../../contract/ids.ts";
import type { SourceEntry } from "../../contract/reader.ts";
import { pi } from "./index.ts";

const fixture = (name: string): string => readFileSync(`test/fixtures/pi/${name}`, "utf8");

function read(text: string, path = "session.jsonl"): RecordingSink {
  return readFile(pi.lines, text, path);
}

const entriesOf = (sink: RecordingSink): SourceEntry[] => sink.conversations[0]?.entries ?? [];

function byId(sink: RecordingSink, id: string): SourceEntry {
  return entriesOf(sink).find((entry) => entry.id === id) as SourceEntry;
}

const blocksOf = ({ message }: SourceEntry): readonly JsonObject[] =>
  (message?.content ?? []) as readonly JsonObject[];

/** What pi makes of a file without ids when it opens it. */
function upgradedByPi(text: string): string {
  const records = recordsIn(text);
  const id = (index: number): string => `f000000${index}`;
  const upgraded = records.map((record, index) => {
    if (index === 0) return { ...record, version: 3 };
    const { firstKeptEntryIndex: kept, ...rest } = record;
    const place = { id: id(index), parentId: index === 1 ? null : id(index - 1) };
    return { ...rest, ...place, ...(typeof kept === "number" && { firstKeptEntryId: id(kept) }) };
  });
  return upgraded.map((record) => JSON.stringify(record)).join("\n");
}

describe("pi lines", () => {
  const sink = read(fixture("v3-tree.jsonl"));
  const entry = (id: string): SourceEntry => byId(sink, id);

  it("are recognized by the header, after a title, and without a header", () => {
    expect(pi.lines.sniff(recordsIn(fixture("v3-tree.jsonl")), "x.jsonl")).toBe(true);
    expect(pi.lines.sniff(recordsIn(fixture("v1-without-ids.jsonl")), "x.jsonl")).toBe(true);
    expect(pi.lines.sniff(recordsIn(fixture("oh-my-pi-title.jsonl")), "x.jsonl")).toBe(true);
    expect(pi.lines.sniff(recordsIn(fixture("v3-tree.jsonl")).slice(1), "x.jsonl")).toBe(true);
  });

  it("are distinguished from lines of Claude Code", () => {
    const claude = { type: "message", uuid: "u", id: "i", parentId: null, message: { role: "user" } };
    expect(pi.lines.sniff([claude], "x.jsonl")).toBe(false);
    expect(pi.lines.sniff([], "x.jsonl")).toBe(false);
  });

  it("say what the conversation is", () => {
    expect(sink.conversations[0]?.start).toMatchObject({
      sourceId: "aa11bb22-0000-4000-8000-000000000001",
      root: "00000001 2026-02-02T03:00:01.000Z",
      createdAt: Date.UTC(2026, 1, 2, 3),
      title: "Peas",
      model: "claude-x",
      about: {
        cwd: "/home/ada/garden",
        version: 3,
        parent_session: "/home/ada/.pi/old.jsonl",
        metadata: { extensionOwner: "almanac" },
      },
    });
  });

  it("become a tree in which entries beside the path are passed over", () => {
    expect(entriesOf(sink).map(({ id, parent }) => [id, parent])).toEqual([
      ["00000001", null],
      ["00000002", "00000001"],
      ["00000004", "00000002"],
      ["00000005", "00000004"],
      ["00000006", "00000005"],
      ["00000007", "00000006"],
      ["00000008", "00000006"],
      ["00000009", "00000008"],
      ["0000000b", "00000009"],
      ["0000000c", "0000000b"],
      ["0000000d", "0000000c"],
      ["0000000e", "0000000d"],
      ["0000000f", "00000008"],
      ["00000010", "0000000f"],
      ["00000011", "00000010"],
      ["00000012", "00000011"],
      ["00000013", null],
      ["00000014", "00000013"],
    ]);
  });

  it("keep changes of the model and of the thinking level", () => {
    expect(entry("00000001")).toMatchObject({
      kind: "info",
      data: { type: "model", model: "claude-x", provider: "anthropic" },
    });
    expect(entry("00000002")).toMatchObject({
      kind: "info",
      data: { type: "thinking-level", level: "high" },
    });
  });

  it("keep texts exactly and images with their type", () => {
    expect(entry("00000004").message?.content).toMatchObject([
      { type: "text", text: "When do I sow peas? " },
      { type: "image", source: { type: "base64", media_type: "image/png" } },
    ]);
  });

  it("keep thoughts, calls, counts and the reason to stop", () => {
    expect(entry("00000005").message).toEqual({
      role: "assistant",
      content: [
        { type: "thinking", thinking: "Look it up.", signature: "sig-1" },
        { type: "redacted_thinking", data: "sealed" },
        { type: "text", text: "Let me look." },
        { type: "tool_use", id: "tc1", name: "read", input: { path: "peas.md" } },
      ],
      model: "claude-x",
      usage: {
        input_tokens: 100,
        output_tokens: 20,
        cache_read_input_tokens: 50,
        cache_creation_input_tokens: 7,
        cost: 0.31,
      },
      stopReason: "toolUse",
    });
    expect(entry("00000006").message).toEqual({
      role: "user",
      content: [
        {
          type: "tool_result",
          tool_use_id: "tc1",
          content: [{ type: "text", text: "In March." }],
          is_error: true,
        },
      ],
    });
  });

  it("take the time of the entry, not that of the message", () => {
    expect(entry("00000004").at).toBe(Date.UTC(2026, 1, 2, 3, 0, 4));
    const bare = read(
      '{"type":"session","id":"x"}\n{"type":"message","id":"a","parentId":null,"message":{"role":"user","content":"","timestamp":1770000002000}}',
    );
    expect(entriesOf(bare)[0]?.at).toBe(1770000002000);
  });

  it("show a command that the user ran with its output", () => {
    expect(entry("00000009").message).toEqual({
      role: "user",
      content: "$ date\n2 Feb\n",
      extra: { pi: { role: "bashExecution", exitCode: 0, cancelled: false, truncated: false } },
    });
  });

  it("keep what extensions said to the model", () => {
    expect(entry("0000000d").message).toEqual({
      role: "user",
      content: "Frost is near.",
      extra: { pi: { role: "custom", customType: "almanac", display: true } },
    });
    expect(entry("00000011").message?.extra).toEqual({
      pi: { role: "custom", customType: "almanac", display: false },
    });
  });

  it("set labels, and clear them, on no path", () => {
    expect(entry("00000007")).toMatchObject({ kind: "label", data: { entry: "00000004", label: "peas" } });
    expect(entry("00000014")).toMatchObject({ kind: "label", data: { entry: "00000004", label: null } });
  });

  it("say what a compaction kept, from the first entry on a path", () => {
    expect(entry("0000000c")).toMatchObject({
      kind: "compaction",
      data: { summary: "Peas in March.", strategy: "pi", first_kept: "0000000b", tokens_before: 5000 },
    });
    expect(entry("00000012").data?.first_kept).toBeNull();
  });

  it("find the first entry on a path after several beside it", () => {
    const lines: JsonObject[] = [
      { type: "session", version: 3, id: "s" },
      { type: "custom", id: "c1", parentId: null },
      { type: "custom", id: "c2", parentId: "c1" },
      { type: "message", id: "m", parentId: "c2", message: { role: "user", content: "a" } },
      { type: "compaction", id: "k", parentId: "m", summary: "s", firstKeptEntryId: "c1" },
    ];
    const found = read(lines.map((line) => JSON.stringify(line)).join("\n"));
    expect(byId(found, "k").data?.first_kept).toBe("m");
  });

  it("say which branch a summary is of, though early releases named the place it returns to", () => {
    expect(entry("0000000f")).toMatchObject({
      kind: "branch_summary",
      data: { summary: "We spoke about beans.", from: "0000000e" },
    });
    expect(byId(read(fixture("v3-release-1.jsonl")), "s7").data?.from).toBe("s6");
  });

  it("show the last entry of the file, or what it hangs from", () => {
    expect(sink.conversations[0]?.leaf).toBe("00000013");
  });

  it("lose no record", () => {
    const { entries = [], notes = [] } = sink.conversations[0] ?? {};
    const lines = [...entries.flatMap(({ records }) => records), ...notes].map(({ line }) => line as number);
    expect(lines.sort((a, b) => a - b)).toEqual(Array.from({ length: 21 }, (_, index) => index + 1));
    expect(sink.unknowns).toEqual([]);
  });

  it("share a root and ids with their forks", () => {
    const fork = read(fixture("fork.jsonl"));
    expect(fork.conversations[0]?.start.root).toBe(sink.conversations[0]?.start.root);
    expect(fork.conversations[0]?.start.sourceId).not.toBe(sink.conversations[0]?.start.sourceId);
    expect(byId(fork, "00000099").parent).toBe("00000005");
  });
});

describe("pi versions", () => {
  it("1 has no ids: entries follow one another, and numbers count the header as 0", () => {
    const sink = read(fixture("v1-without-ids.jsonl"));
    const ids = [1, 2, 3, 4, 5, 6].map((index) => madeId("cc33", index));
    expect(entriesOf(sink).map(({ id }) => id)).toEqual(ids);
    expect(entriesOf(sink).map(({ parent }) => parent)).toEqual([null, ...ids.slice(0, -1)]);
    expect(entriesOf(sink)[4]).toMatchObject({ kind: "compaction", data: { first_kept: ids[3] } });
    expect(sink.conversations[0]?.start).toMatchObject({
      about: { parent_session: "/home/ada/.pi/before.jsonl" },
    });
    expect(sink.conversations[0]?.start.root).toBeUndefined();
    expect(sink.lines()).toEqual(["user: One.", "assistant: Two.", "user: Three.", "assistant: Four."]);
  });

  it("1 is the same conversation with the same entries after pi has upgraded it in place", () => {
    const before = fixture("v1-without-ids.jsonl");
    const upgraded = upgradedByPi(before);
    const more = {
      type: "message",
      id: "f0000007",
      parentId: "f0000006",
      message: { role: "user", content: "Five." },
    };
    const [old, sink] = [read(before), read(`${upgraded}\n${JSON.stringify(more)}`)];
    expect(sink.conversations[0]?.start.sourceId).toBe("cc33");
    expect(sink.conversations[0]?.start.root).toBe(old.conversations[0]?.start.root);
    const plain = (entries: readonly SourceEntry[]) =>
      entries.map(({ id, parent, kind, data, message }) => ({ id, parent, kind, data, message }));
    expect(plain(entriesOf(sink).slice(0, -1))).toEqual(plain(entriesOf(old)));
    expect(entriesOf(sink).at(-1)).toMatchObject({ parent: madeId("cc33", 6), aliases: ["f0000007"] });
    expect(sink.conversations[0]?.leaf).toBe(madeId("cc33", 7));
  });

  it("1 that was upgraded continues under the ids that pi assigned", () => {
    const lines = upgradedByPi(fixture("v1-without-ids.jsonl")).split("\n");
    const aside = { type: "label", id: "f0000007", parentId: "f0000006", targetId: "f0000001", label: "x" };
    const more = {
      type: "message",
      id: "f0000008",
      parentId: "f0000007",
      message: { role: "user", content: "Six." },
    };
    lines.push(JSON.stringify(aside), JSON.stringify(more));
    const whole = read(lines.join("\n"));
    expect(byId(whole, madeId("cc33", 7)).data).toEqual({ entry: madeId("cc33", 1), label: "x" });
    expect(byId(whole, madeId("cc33", 8)).parent).toBe(madeId("cc33", 6));
    for (let count = 2; count < lines.length; count++) {
      const sink = new RecordingSink();
      const first = pi.lines.open(sink, surroundings("session.jsonl"), undefined);
      readLines(first, lines.slice(0, count).join("\n"));
      first.end(true);
      const second = pi.lines.open(
        sink,
        surroundings("session.jsonl"),
        JSON.parse(JSON.stringify(first.state())),
      );
      readLines(second, lines.slice(count).join("\n"), count + 1);
      second.end(true);
      const plain = (all: RecordingSink) => entriesOf(all).map(({ id, parent, data }) => [id, parent, data]);
      expect(plain(sink)).toEqual(plain(whole));
    }
  });

  it("2 called an extension's message that of a hook", () => {
    const sink = read(fixture("v2-hook-message.jsonl"));
    expect(byId(sink, "h1").message).toMatchObject({
      role: "user",
      content: "Hello from a hook.",
      extra: { pi: { role: "custom", customType: "greeter" } },
    });
    expect(byId(sink, "h2").message).toMatchObject({
      content: [],
      stopReason: "error",
      extra: { pi: { error: "overloaded" } },
    });
  });

  it("3 of release 1 has system messages, counts and edits beside the path", () => {
    const sink = read(fixture("v3-release-1.jsonl"));
    expect(byId(sink, "s1").message).toEqual({
      role: "system",
      content: [
        { type: "text", text: "Base prompt." },
        { type: "text", text: "Use tools." },
      ],
    });
    expect(byId(sink, "s6").parent).toBe("s3r");
    expect(byId(sink, "s10").parent).toBe("s7");
    expect(sink.unknowns).toEqual(["content sculpture", "dream", "message oracle"]);
  });

  it("pair a call and a result without ids by their order", () => {
    const sink = read(fixture("v3-release-1.jsonl"));
    const call = blocksOf(byId(sink, "s3"))[1];
    expect(call).toMatchObject({ type: "tool_use", input: { value: [1] }, arguments: "[1]" });
    expect(byId(sink, "s3r").message?.content).toMatchObject([{ tool_use_id: call?.id, paired: "order" }]);
  });

  it("take the title that Oh My Pi puts before the header, and the parent from the folder", () => {
    const path = "sessions/2026-02-02T03-00-00-000Z_aa11bb22/2026-02-02T03-01-00-000Z_ff66.jsonl";
    const sink = read(fixture("oh-my-pi-title.jsonl"), path);
    expect(sink.conversations[0]?.start).toMatchObject({
      sourceId: "ff66",
      title: "Compost",
      parent: { sourceId: "aa11bb22" },
    });
    expect(
      read(fixture("oh-my-pi-title.jsonl"), "--home-ada--/2026-02-02T03-01-00-000Z_ff66.jsonl")
        .conversations[0]?.start.parent,
    ).toBeUndefined();
  });

  it("without a header are named after the file", () => {
    const text = fixture("v3-tree.jsonl").split("\n").slice(1).join("\n");
    const sink = read(text, "--home--/2026-02-02T03-00-00-000Z_aa11bb22-0000-4000-8000-000000000001.jsonl");
    expect(sink.conversations[0]?.start.sourceId).toBe("aa11bb22-0000-4000-8000-000000000001");
  });

  it("of a header only are a conversation once nothing more is expected", () => {
    const sink = new RecordingSink();
    const reader = pi.lines.open(sink, surroundings("a.jsonl"), undefined);
    readLines(reader, '{"type":"session","version":3,"id":"only"}');
    reader.end(false);
    expect(sink.conversations).toEqual([]);
    expect(reader.state()).toBeUndefined();
    reader.end(true);
    expect(sink.conversations[0]?.start.sourceId).toBe("only");
    expect(sink.conversations[0]?.notes).toHaveLength(1);
  });

  it("survive properties of any shape, and entries that are their own parents", () => {
    const odd: Json[] = [null, 3, [], {}, { type: "session" }, { type: "label", id: "l", parentId: "l" }];
    for (const role of [
      "user",
      "assistant",
      "toolResult",
      "bashExecution",
      "custom",
      "system",
      "constructor",
      5,
    ]) {
      odd.push({
        type: "message",
        id: `${role}`,
        parentId: 7,
        message: { role, content: { a: 1 }, sections: [1] },
      });
      odd.push({
        type: "message",
        message: { role, content: [null, 1, { type: "toolCall" }, { type: "image" }] },
      });
    }
    for (const type of [
      "compaction",
      "branch_summary",
      "label",
      "custom_message",
      "leaf",
      "reset",
      "model_change",
    ]) {
      odd.push({ type, id: {}, parentId: [], targetId: 4, summary: 9, firstKeptEntryId: {}, label: 3 });
    }
    const sink = read(odd.map((value) => JSON.stringify(value)).join("\n"));
    expect(sink.unknowns).toContain("message constructor");
    expect(entriesOf(sink).every(({ id }) => typeof id === "string" && id !== "")).toBe(true);
  });

  it("make a short id of one that is too long", () => {
    const long = "x".repeat(400);
    const sink = read(
      [
        { type: "session", id: "s" },
        { type: "message", id: long, parentId: null, message: { role: "user", content: "a" } },
        { type: "message", id: "b", parentId: long, message: { role: "user", content: "b" } },
      ]
        .map((value) => JSON.stringify(value))
        .join("\n"),
    );
    expect(Buffer.byteLength(entriesOf(sink)[0]?.id ?? "")).toBeLessThanOrEqual(256);
    expect(entriesOf(sink)[1]?.parent).toBe(entriesOf(sink)[0]?.id);
  });
});

describe("reading on in a pi file", () => {
  it.each(["v3-tree.jsonl", "v1-without-ids.jsonl", "v3-release-1.jsonl", "oh-my-pi-title.jsonl"])(
    "returns the same as one pass, wherever it stopped: %s",
    (name) => {
      const lines = fixture(name).trim().split("\n");
      const whole = read(lines.join("\n"));
      for (let count = 1; count < lines.length; count++) {
        const sink = new RecordingSink();
        const first = pi.lines.open(sink, surroundings("session.jsonl"), undefined);
        readLines(first, lines.slice(0, count).join("\n"));
        first.end(false);
        const state = first.state();
        // Without a state the file is read from its beginning.
        const from = state === undefined ? 0 : count;
        const saved = state === undefined ? undefined : JSON.parse(JSON.stringify(state));
        const second = pi.lines.open(sink, surroundings("session.jsonl"), saved);
        readLines(second, lines.slice(from).join("\n"), from + 1);
        second.end(true);
        expect(entriesOf(sink)).toEqual(
          entriesOf(whole).map((entry) => ({
            ...entry,
            records: entry.records.map((record) => ({ ...record, offset: expect.any(Number) })),
          })),
        );
        expect(sink.conversations[0]?.leaf).toBe(whole.conversations[0]?.leaf);
        expect(sink.conversations[0]?.start).toEqual(whole.conversations[0]?.start);
      }
    },
  );

  it("keeps a small state, however many entries are off the path", () => {
    const reader = pi.lines.open(new RecordingSink(), surroundings("a.jsonl"), undefined);
    const customs = Array.from({ length: 5000 }, (_, index) =>
      JSON.stringify({ type: "custom", id: `c${index}`, parentId: index === 0 ? null : `c${index - 1}` }),
    );
    readLines(reader, ['{"type":"session","version":3,"id":"s"}', ...customs].join("\n"));
    reader.end(true);
    expect(JSON.stringify(reader.state()).length).toBeLessThan(20_000);
  });
});
