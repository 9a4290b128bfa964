import { describe, expect, it } from "vitest";
import { entry } from "../../../test/support/agent-folder.ts";
import { readDocument, writeDocument } from "./document.ts";

const [A, B] = ["0198c0de-1111-7222-8333-444455556666", "0198c0de-1111-7222-8333-444455557777"] as const;

function read(value: unknown) {
  return readDocument(JSON.stringify(value));
}

describe("the text of the index", () => {
  it("is read with canonical keys", () => {
    const found = read({
      "telegram:+49 (0)176 12345678": entry("a", 1),
      "discord:guild123:channel456": entry("b", 2),
      "cli:local": entry("c", 3),
      42: entry("d", 4, { channel: "discord" }),
    });
    expect(found?.migrated).toBe(true);
    expect(Object.keys(found?.entries ?? {}).sort()).toEqual([
      "cli:default",
      "discord:channel:456",
      "discord:dm:42",
      "telegram:+4917612345678",
    ]);
  });

  it("keeps both conversations when two legacy keys become one", () => {
    const found = read({
      "discord:direct:42": entry(A, 1),
      "Discord:DM:42": entry(B, 2, { label: "newer" }),
    });
    expect(found?.entries).toEqual({
      "discord:dm:42": entry(B, 2, { label: "newer" }),
      [`discord:dm:42~${A}`]: entry(A, 1),
    });
  });

  it("merges two legacy keys of one conversation, with the newer value of each field", () => {
    const found = read({
      "cli:local": entry(A, 2, { label: "new", model: "m" }),
      "cli:default": entry(A, 1, { label: "old", thinkingLevel: "high" }),
    });
    expect(found?.entries).toEqual({
      "cli:default": entry(A, 2, { label: "new", model: "m", thinkingLevel: "high" }),
    });
  });

  it("keeps unknown fields, and properties that are not entries", () => {
    const value = {
      "cli:x": entry("a", 1, { future: { deep: [1] } }),
      note: "hello",
      "cli:y": { label: "no id" },
    };
    const found = read(value);
    expect(found?.entries).toEqual({ "cli:x": value["cli:x"] });
    expect(found && JSON.parse(writeDocument(found).toString())).toEqual(value);
  });

  it("takes a missing id from the name of the transcript, and 0 for a missing time", () => {
    expect(read({ "cli:x": { sessionFile: "/old/place/a1.jsonl" } })?.entries).toEqual({
      "cli:x": { sessionFile: "/old/place/a1.jsonl", sessionId: "a1", updatedAt: 0 },
    });
  });

  it.each(["", "{", "null", "[]", '"text"', "42", '{"cli:x":{"sessionId":"a"'])("%j is damaged", (text) => {
    expect(readDocument(text)).toBeUndefined();
  });

  it("may contain keys such as __proto__", () => {
    const found = readDocument(
      '{"__proto__":{"sessionId":"a","updatedAt":1},"cli:x":{"sessionId":"b","updatedAt":1}}',
    );
    expect(found?.entries["cli:__proto__"]).toEqual(entry("a", 1));
    expect(Object.getPrototypeOf(found?.entries)).toBe(Object.prototype);
    expect("sessionId" in {}).toBe(false);
  });

  it("has one entry per line, and is read back unchanged", () => {
    const entries = { "cli:x": entry("a", 1), "cli:y": entry("b", 2) };
    const bytes = writeDocument({ entries, others: {} });
    expect(bytes.toString().split("\n")).toHaveLength(5);
    expect(readDocument(bytes.toString())).toEqual({ entries, others: {}, migrated: false });
    expect(readDocument(writeDocument({ entries: {}, others: {} }).toString())?.entries).toEqual({});
  });
});
