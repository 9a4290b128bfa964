import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { fc } from "../../../../test/support/fast-check.ts";
import { RecordingSink, readLines, surroundings } from "../../../../test/support/samples/recording-sink.ts";
import type { Json, JsonObject } from "../../../util/json.ts";
import type { SourceEntry } from "../../contract/reader.ts";
import { codex } from "./index.ts";

const line = (type: string, payload: JsonObject): string => JSON.stringify({ type, payload });
const item = (payload: JsonObject): string => line("response_item", payload);
const event = (payload: JsonObject): string => line("event_msg", payload);
const META = line("session_meta", { id: "t" });
const said = (role: string, text: string): string =>
  item({ type: "message", role, content: [{ type: "input_text", text }] });
const shown = (message: string): string => event({ type: "user_message", message });
const PICTURE = "data:image/png;base64,iVBORw0KGgo=";
/** A picture without words, as Codex 0.166 writes it: for the model, and for display. */
const PICTURE_LINES: readonly string[] = [
  item({
    type: "message",
    role: "user",
    content: [
      { type: "input_text", text: '<image name=[Image #1] path="/p/a.png">' },
      { type: "input_image", image_url: PICTURE },
      { type: "input_text", text: "</image>" },
    ],
  }),
  event({
    type: "item_completed",
    item: { type: "UserMessage", content: [{ type: "local_image", path: "/p/a.png" }] },
  }),
];
const thought = (text: string): string => item({ type: "reasoning", summary: [{ text }] });
const call = (call_id: string): string =>
  item({ type: "function_call", call_id, name: "sh", arguments: "{}" });
const output = (call_id: string): string => item({ type: "function_call_output", call_id, output: "ok" });
const rolledBack = (num_turns: number): string => event({ type: "thread_rolled_back", num_turns });

/** Each part in a separate pass, all of which end like a single import, or only the last one. */
function readPasses(passes: readonly (readonly string[])[], isFinal = true): RecordingSink {
  const sink = new RecordingSink();
  let state: Json | undefined;
  let lines = 0;
  for (const [index, pass] of passes.entries()) {
    const reader = codex.lines.open(sink, surroundings("rollout.jsonl"), state);
    readLines(reader, pass.join("\n"), lines + 1);
    reader.end(isFinal || index === passes.length - 1);
    const saved = reader.state();
    state = saved === undefined ? undefined : (JSON.parse(JSON.stringify(saved)) as Json);
    lines += pass.length;
  }
  return sink;
}

const linesOf = (name: string): string[] =>
  readFileSync(`test/fixtures/codex/${name}`, "utf8").trim().split("\n");
const entriesOf = (sink: RecordingSink): readonly SourceEntry[] => sink.conversations[0]?.entries ?? [];
const namesOf = ({ id, aliases = [] }: SourceEntry): string[] => [id, ...aliases];
const allNames = (sink: RecordingSink): Set<string> => new Set(entriesOf(sink).flatMap(namesOf));

/** What the source shows last, block by block. */
function shownPath(sink: RecordingSink): unknown[] {
  const byName = new Map(entriesOf(sink).flatMap((entry) => namesOf(entry).map((name) => [name, entry])));
  const path: unknown[] = [];
  let at = byName.get(sink.conversations[0]?.leaf ?? "");
  while (at !== undefined) {
    const content = at.message?.content ?? [];
    path.unshift(...(typeof content === "string" ? [content] : content));
    at = at.parent == null ? undefined : byName.get(at.parent);
  }
  return path;
}

function cutAt(lines: readonly string[], cuts: readonly number[]): string[][] {
  const ends = [...cuts.map((cut) => 1 + (cut % lines.length)), lines.length].sort((a, b) => a - b);
  return ends.map((end, index) => lines.slice(ends[index - 1] ?? 0, end));
}

describe("a file of codex that is read in several passes", () => {
  it("has each prompt once, though a pass ended between its item and its event", () => {
    for (const [first, second] of [
      [said("user", "Go"), shown("Go")],
      [shown("Go"), said("user", "Go")],
    ] as const) {
      const sink = readPasses([
        [META, first],
        [second, said("assistant", "Done"), rolledBack(1)],
      ]);
      expect(sink.lines()).toEqual(["user: Go", "assistant: Done"]);
      expect(entriesOf(sink)[0]?.message?.extra).toBeUndefined();
      // The prompt counts as one: it is what was rolled back.
      expect(entriesOf(sink)[2]).toMatchObject({ kind: "info", parent: null });
      const kept = [
        ...entriesOf(sink).flatMap(({ records }) => records),
        ...(sink.conversations[0]?.notes ?? []),
      ];
      expect(kept.map(({ line: number }) => number as number).sort()).toEqual([1, 2, 3, 4, 5]);
    }
  });

  it("has a prompt that is only a picture once, with the picture", () => {
    for (const lines of [PICTURE_LINES, PICTURE_LINES.toReversed()]) {
      const [prompt, ...others] = entriesOf(readPasses([[META, ...lines, said("assistant", "Seen")]]));
      expect(others).toMatchObject([{ message: { role: "assistant" } }]);
      expect(prompt?.message?.content).toContainEqual(expect.objectContaining({ type: "image" }));
      expect(prompt?.message?.extra).toBeUndefined();
    }
  });

  it("has each prompt once where version 0.166 put the end of the turn before its event", () => {
    const sink = readPasses([linesOf("0.166-migrated.jsonl")]);
    const prompts = entriesOf(sink).filter(({ message }) => message?.role === "user" && !message.extra);
    expect(prompts.map(({ message }) => JSON.stringify(message?.content))).toEqual([
      expect.stringContaining("First turn"),
      expect.stringContaining("tool_result"),
      expect.stringContaining("Second turn again"),
      expect.stringContaining('"type":"image"'),
      expect.stringContaining("Last turn"),
    ]);
  });

  it("marks what Codex said for the person also at the end of a pass", () => {
    const sink = readPasses([[META, said("user", "<environment_context>x</environment_context>")]]);
    expect(entriesOf(sink)[0]?.message?.extra).toEqual({ codex: { injected: true } });
  });

  it("has the same prompt twice when it was entered twice", () => {
    const sink = readPasses([
      [META, said("user", "Go"), shown("Go"), said("assistant", "Done")],
      [said("user", "Go"), shown("Go")],
    ]);
    expect(sink.lines()).toHaveLength(3);
  });

  it("names what a cut answer became, so that the whole of it is found there", () => {
    const lines = [META, said("user", "Go"), shown("Go"), thought("Hm"), call("c1"), call("c2")];
    const [, answer] = entriesOf(readPasses([lines]));
    const parts = entriesOf(readPasses([lines.slice(0, 4), lines.slice(4, 5), lines.slice(5)]));
    expect(namesOf(answer as SourceEntry)).toEqual([parts[3], parts[1], parts[2]].map((part) => part?.id));
    expect(parts.map(({ parent }) => parent)).toEqual([null, ...parts.slice(0, -1).map(({ id }) => id)]);
  });

  it("pairs calls and results without ids by order, though both were held back", () => {
    const bare = [
      JSON.stringify({ id: "t", timestamp: "2025-06-01T10:00:00Z", instructions: "" }),
      ...[1, 2].map((number) => item({ type: "function_call", name: `call ${number}`, arguments: "{}" })),
      ...[1, 2].map((number) => item({ type: "function_call_output", output: `out ${number}` })),
    ];
    for (const isFinal of [true, false]) {
      const parts = readPasses([bare.slice(0, 3), bare.slice(3, 4), bare.slice(4)], isFinal);
      expect(shownPath(parts)).toEqual(shownPath(readPasses([bare])));
    }
  });
});

const pieces: fc.Arbitrary<readonly string[]> = fc.oneof(
  fc.constantFrom("a", "b").map((text) => [said("user", text), shown(text)]),
  fc.constantFrom("a", "b").map((text) => [shown(text), said("user", text)]),
  fc.constantFrom("a", "<env>", "c").map((text) => [said("user", text)]),
  fc.constant([shown("d")]),
  fc.constant(PICTURE_LINES),
  fc.constantFrom("x", "y").map((text) => [thought(text)]),
  fc.constantFrom("x", "y").map((text) => [said("assistant", text)]),
  fc.constantFrom("1", "2").map((id) => [call(id), call(`${id}b`), output(id), output(`${id}b`)]),
  fc.constantFrom("1", "2").map((id) => [call(id), output(id)]),
  fc.constant([item({ type: "function_call", name: "n", arguments: "{}" })]),
  fc.constant([item({ type: "function_call_output", output: "o" })]),
  fc.constant([event({ type: "token_count", info: { last_token_usage: { input_tokens: 1 } } })]),
  fc.constant([event({ type: "task_complete" })]),
  fc.constant([said("developer", "Be brief.")]),
  fc.constant([line("compacted", { message: "So far." })]),
  fc.integer({ min: 1, max: 3 }).map((turns) => [rolledBack(turns)]),
);
const cuts = fc.array(fc.nat(80), { minLength: 1, maxLength: 3 });

describe("a file of codex, wherever passes over it ended,", () => {
  const files = fc.array(pieces, { minLength: 1, maxLength: 16 }).map((all) => [META, ...all.flat()]);

  it("has no entry in a pass over all of it that is not known, and shows the same", () => {
    fc.assert(
      fc.property(files, cuts, (lines, at) => {
        const [whole, parts] = [readPasses([lines]), readPasses(cutAt(lines, at))];
        expect(allNames(parts)).toEqual(allNames(whole));
        expect(shownPath(parts)).toEqual(shownPath(whole));
        const ids = entriesOf(parts).flatMap(namesOf);
        expect(ids).toHaveLength(new Set(ids).size);
      }),
      { numRuns: 500 },
    );
  });

  it("adds the same entries when incomplete records are held back", () => {
    fc.assert(
      fc.property(files, cuts, (lines, at) => {
        const [whole, parts] = [readPasses([lines]), readPasses(cutAt(lines, at), false)];
        const plain = (sink: RecordingSink) =>
          entriesOf(sink).map(({ id, parent, aliases, message }) => ({ id, parent, aliases, message }));
        expect(plain(parts)).toEqual(plain(whole));
      }),
      { numRuns: 200 },
    );
  });

  it.each([
    ...["typed-lines.jsonl", "rolled-back.jsonl", "bare-lines.jsonl", "turn-items.jsonl", "fork.jsonl"],
    ...["0.166-migrated.jsonl", "0.166-picture.jsonl"],
  ])("can be a real one: %s", (name) => {
    const lines = linesOf(name);
    const whole = readPasses([lines]);
    for (let cut = 1; cut < lines.length; cut++) {
      const parts = readPasses([lines.slice(0, cut), lines.slice(cut)]);
      expect(allNames(parts)).toEqual(allNames(whole));
      expect(shownPath(parts)).toEqual(shownPath(whole));
    }
  });
});
