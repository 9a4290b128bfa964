import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  exported,
  LARGE,
  LONE,
  PIXEL,
  sampleStore,
} from "../../../test/support/samples/sample-conversation.ts";
import { fromClaude } from "../../message/apis/anthropic.ts";
import { fromOpenAI } from "../../message/apis/openai.ts";
import { openStore } from "../../store/open.ts";
import type { Store } from "../../store/store.ts";

let store: Store;
let id: string;
beforeAll(async () => {
  ({ store, id } = await sampleStore());
});
afterAll(() => store.close());

type Line = ReturnType<typeof JSON.parse>;

describe("a session file of pi", () => {
  const lines = async (options = {}): Promise<Line[]> =>
    (await exported(store, id, { to: "openclaw", ...options }))
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));

  it("is a tree whose parents all precede their children, and ends on the checked-out branch", async () => {
    const [header, ...entries] = await lines();
    expect(header).toMatchObject({ type: "session", version: 3, id });
    const seen = new Set<string | null>([null]);
    for (const entry of entries) {
      expect(seen).toContain(entry.parentId);
      expect(seen).not.toContain(entry.id);
      seen.add(entry.id);
    }
    const path: Line[] = [];
    for (let at = entries.at(-1); at; at = entries.find((one: Line) => one.id === at.parentId))
      path.unshift(at);
    expect(
      path
        .filter(({ type }) => type === "message")
        .map(({ id: own }) => own)
        .slice(-3),
    ).toEqual(["e5", "a1", "a2"]);
    expect(entries.slice(-2)).toMatchObject([
      { type: "label", targetId: "e5", label: "before the picture", parentId: "a2" },
      { type: "session_info", name: "A *sample*" },
    ]);
  });

  it("keeps the text of documents", async () => {
    await using other = await openStore("ephemeral:");
    const chat = await other.open("test:documents");
    const source = { type: "text", media_type: "text/plain", data: "Every word of it" };
    const notes = { type: "base64", media_type: "text/markdown", data: btoa("# Notes") };
    await chat.append({
      role: "user",
      content: [
        { type: "document", title: "a.txt", source },
        { type: "document", source: notes },
        {
          type: "document",
          title: "b.pdf",
          source: { type: "base64", media_type: "application/pdf", data: "JVBE" },
        },
      ],
    });
    const text = await exported(other, chat.id, { to: "openclaw" });
    expect(JSON.parse(text.split("\n")[1] ?? "").message.content).toEqual([
      { type: "text", text: "[document: a.txt]\nEvery word of it" },
      { type: "text", text: "[document]\n# Notes" },
      { type: "text", text: "[document: b.pdf]" },
    ]);
  });

  it("has each result of a tool as a message, with its call's name", async () => {
    const entries = await lines({ branch: "main" });
    const results = entries.filter(({ message }) => message?.role === "toolResult");
    expect(results.map(({ message }) => [message.toolCallId, message.toolName, message.isError])).toEqual([
      ["t1", "read", false],
      ["t2", "list", true],
    ]);
    expect(results[1].id).toBe("e4");
    expect(results[1].parentId).toBe(results[0].id);
    expect(results[0]).toMatchObject({
      parentId: "e3",
      message: { content: [{ type: "text", text: LARGE }] },
    });
    expect(entries.find(({ id: own }) => own === "e3").message).toMatchObject({
      content: [
        { type: "thinking", thinking: "Let me look.", thinkingSignature: "c2ln" },
        { type: "text", text: "I look." },
        { type: "toolCall", id: "t1", name: "read", arguments: { path: "a.txt" } },
        { type: "toolCall", id: "t2", name: "list", arguments: {} },
      ],
      provider: "anthropic",
      usage: { input: 10, output: 5, cacheRead: 3, totalTokens: 18 },
      stopReason: "toolUse",
    });
    expect(entries.find(({ id: own }) => own === "e6").message.content[1]).toEqual({
      type: "image",
      data: PIXEL,
      mimeType: "image/png",
    });
  });

  it("has the compaction with the first entry that is kept", async () => {
    const compaction = (await lines()).find(({ type }) => type === "compaction");
    expect(compaction).toMatchObject({ summary: "They looked at a file.", firstKeptEntryId: "e6" });
  });

  it("has no compaction that was undone", async () => {
    await using own = await openStore("ephemeral:");
    const chat = await own.open("cli:undo");
    await chat.append([
      { role: "user", content: "One" },
      { role: "assistant", content: "Two" },
      { role: "user", content: "Three" },
    ]);
    const entry = await chat.compact({ summarize: async () => "S", keepMessages: 1 });
    await chat.undoCompaction(entry?.id as string);
    const text = await exported(own, chat.id, { to: "openclaw" });
    expect(text).not.toContain('"type":"compaction"');
    expect(text).toContain("colloquy:compaction");
    expect(await exported(own, chat.id, { to: "markdown" })).toContain("(undone)");
  });
});

describe("messages for a model", () => {
  it("are what Claude takes, with system words lifted out", async () => {
    const { system, messages } = JSON.parse(await exported(store, id, { to: "claude", branch: "main" }));
    expect(system).toBe("Be brief.");
    expect(messages.map(({ role }: Line) => role)).toEqual([
      "user",
      "assistant",
      "user",
      "assistant",
      "user",
      "assistant",
    ]);
    expect(messages[0]).toEqual({ role: "user", content: LONE });
    expect(messages[1].content[0]).toMatchObject({ type: "thinking", signature: "c2ln" });
    expect(() => fromClaude(messages)).not.toThrow();
  });

  it("are what OpenAI takes", async () => {
    const { messages } = JSON.parse(await exported(store, id, { to: "openai", branch: "main" }));
    expect(messages.slice(0, 5).map(({ role }: Line) => role)).toEqual([
      "system",
      "user",
      "assistant",
      "tool",
      "tool",
    ]);
    expect(messages[2].tool_calls[0]).toEqual({
      id: "t1",
      type: "function",
      function: { name: "read", arguments: '{"path":"a.txt"}' },
    });
    expect(fromOpenAI(messages)).toHaveLength(7);
  });

  it("have a result for every call, also where the log has none", async () => {
    const { messages } = JSON.parse(await exported(store, id, { to: "claude", branch: "other" }));
    expect(messages.at(-1)).toMatchObject({
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: "t1", is_error: true },
        { type: "tool_result", tool_use_id: "t2", is_error: true },
        { type: "text", text: "Stop that" },
      ],
    });
  });

  it("are UI messages of the AI SDK: a call with its result, the steps of an answer as one", async () => {
    const messages = JSON.parse(await exported(store, id, { to: "ai-sdk", branch: "main" }));
    expect(messages.map(({ id: own, role }: Line) => `${own} ${role}`)).toEqual([
      "e1 system",
      "e2 user",
      "e3 assistant",
      "e6 user",
      "e7 assistant",
    ]);
    expect(messages[2].parts).toEqual([
      { type: "reasoning", text: "Let me look.", providerMetadata: { anthropic: { signature: "c2ln" } } },
      { type: "text", text: "I look." },
      {
        type: "tool-read",
        toolCallId: "t1",
        state: "output-available",
        input: { path: "a.txt" },
        output: LARGE,
      },
      { type: "tool-list", toolCallId: "t2", state: "output-error", input: {}, errorText: "no such folder" },
      { type: "step-start" },
      { type: "text", text: "Done." },
    ]);
    expect(messages[2].metadata).toMatchObject({ model: "claude-opus-4-1" });
    expect(messages[3].parts[1]).toEqual({
      type: "file",
      mediaType: "image/png",
      url: `data:image/png;base64,${PIXEL}`,
    });
  });
});
