import { describe, expect, it } from "vitest";
import type { Entry } from "../../../../src/message/types.ts";
import { entryWords } from "./entry-words.ts";

const base = { id: "e1", seq: 1, parentId: null, at: "2026-11-16T10:00:00.000Z" };

describe("entryWords", () => {
  it("keeps text, and names the other parts of a message", () => {
    const entry: Entry = {
      ...base,
      kind: "message",
      message: {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "hm" },
          { type: "text", text: "Looking." },
          { type: "tool_use", id: "t", name: "read_file", input: {} },
          { type: "hologram" },
        ],
      },
    };
    expect(entryWords(entry)?.parts.map(({ text }) => text)).toEqual([
      "Thinking",
      "Looking.",
      "Calls read_file",
      "A part of type hologram",
    ]);
  });

  it("names a file once, not as the model reads it", () => {
    const content = [
      { type: "text", text: "See this" },
      { type: "text", text: "[file notes.txt (text/plain, 3 bytes)]" },
      { type: "text", text: "[file notes.txt]\nabc" },
    ];
    const entry = { ...base, kind: "message", message: { role: "user", content } } as Entry;
    expect(entryWords(entry)?.parts.map(({ text }) => text)).toEqual([
      "See this",
      "File notes.txt · 3 bytes",
    ]);
  });

  it("leaves out entries that a reader does not see", () => {
    expect(entryWords({ ...base, kind: "label", data: { entry: "e0", label: "x" } } as Entry)).toBeNull();
  });
});
