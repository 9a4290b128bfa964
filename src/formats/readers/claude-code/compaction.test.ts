import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import {
  RecordingSink,
  readFile,
  readLines,
  surroundings,
} from "../../../../test/support/samples/recording-sink.ts";
import type { Json } from "../../../util/json.ts";
import { claudeCode } from "./index.ts";

const TEXT = readFileSync("test/fixtures/claude-code/compaction.jsonl", "utf8");

function read(text: string): RecordingSink {
  return readFile(claudeCode.lines, text, "session.jsonl");
}

describe("a compaction", () => {
  const entries = read(TEXT).conversations[0]?.entries ?? [];
  const entry = (id: string) => entries.find((one) => one.id === id);

  it("is one entry of boundary and summary that follows what it sums up", () => {
    expect(entry("k3")).toMatchObject({
      ...{ kind: "compaction", parent: "k2", aliases: ["k4"] },
      data: {
        ...{ summary: "We had a long talk.", strategy: "claude-code", first_kept: null },
        ...{ tokens_before: 155000, tokens_after: 9000, trigger: "auto" },
      },
    });
    expect(entry("k3")?.records.map(({ line }) => line)).toEqual([3, 4]);
    expect(entry("k3")?.message).toBeUndefined();
    expect(entry("k4")).toBeUndefined();
  });

  it("is followed by entries that name the summary or something below it", () => {
    expect(entry("k6")?.parent).toBe("k3");
  });

  it("says from where on messages were kept", () => {
    expect(entry("k9")).toMatchObject({
      parent: "k8",
      data: { summary: "Shorter still.", first_kept: "k7", trigger: "manual", tokens_before: 20000 },
    });
    expect(entry("k9")?.data).not.toHaveProperty("tokens_after");
    expect(entry("k12")).toMatchObject({ parent: "k11", data: { first_kept: "k11", summary: "" } });
  });

  it("comes before the entry after the last kept message", () => {
    expect(entry("k11")?.parent).toBe("k9");
  });

  it("is added without a summary when none came", () => {
    expect(entry("k13")).toMatchObject({ parent: "k12", message: { content: "No summary came" } });
  });

  it.each([false, true])("waits for its summary from one reading to the next, final: %s", (isFinal) => {
    const lines = TEXT.trim().split("\n");
    const sink = new RecordingSink();
    const first = claudeCode.lines.open(sink, surroundings("session.jsonl"), undefined);
    readLines(first, lines.slice(0, 3).join("\n"));
    first.end(isFinal);
    const state = JSON.parse(JSON.stringify(first.state())) as Json;
    const second = claudeCode.lines.open(sink, surroundings("session.jsonl"), state);
    readLines(second, lines.slice(3).join("\n"), 4);
    second.end(true);
    const strip = (list: typeof entries) => list.map(({ id, parent, data }) => ({ id, parent, data }));
    expect(strip(sink.conversations[0]?.entries ?? [])).toEqual(strip(entries));
  });

  it("follows the entry before it when it names none", () => {
    const [first, , boundary] = TEXT.split("\n").map((line) => (line === "" ? {} : JSON.parse(line)));
    const { logicalParentUuid: _, ...bare } = boundary;
    const next = { type: "user", uuid: "z2", parentUuid: null, sessionId: "s", message: { content: "Next" } };
    const sink = read([first, bare, next].map((line) => JSON.stringify(line)).join("\n"));
    expect(sink.conversations[0]?.entries[1]?.parent).toBeUndefined();
  });

  it("may be a summary alone, as old versions wrote it", () => {
    const summary = {
      ...{ type: "user", uuid: "z1", parentUuid: null, sessionId: "s", isCompactSummary: true },
      message: { role: "user", content: [{ type: "text", text: "All before" }] },
    };
    const sink = read(JSON.stringify(summary));
    expect(sink.conversations[0]?.entries).toMatchObject([
      { id: "z1", parent: null, kind: "compaction", data: { summary: "All before", first_kept: null } },
    ]);
    expect(sink.conversations[0]?.start.title).toBeUndefined();
  });
});
