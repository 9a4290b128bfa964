import { describe, expect, it } from "vitest";
import { fc } from "../../../../test/support/fast-check.ts";
import type { Json } from "../../../util/json.ts";
import { keepDamaged, keepRecords, restoreRecord } from "./kept-records.ts";

const LONG = "A text that is long enough to be worth keeping only once in the store. ".repeat(2);

describe("kept records", () => {
  it("hold a string of the message as a reference and restore it", () => {
    const value = { message: { content: [{ type: "text", text: LONG }] }, copy: LONG, n: 1 };
    const content = [{ type: "text", text: LONG }];
    const [kept] = keepRecords([{ value, line: 3, offset: 17 }], content);
    expect(JSON.stringify(kept)).not.toContain("long enough");
    expect(kept).toMatchObject({ line: 3, offset: 17 });
    expect(restoreRecord(kept as never, { role: "user", content })).toEqual(value);
  });

  it("distinguish a property named $same from a reference", () => {
    const value = { $same: ["x"], inner: { $literal: 1 }, text: LONG };
    const [kept] = keepRecords([{ value, line: null, offset: null }], LONG);
    expect(restoreRecord(kept as never, { role: "user", content: LONG })).toEqual(value);
  });

  it("keep the text where a number would lose digits", () => {
    const text = '{"id":12345678901234567890,"t":"1234567890123456"}';
    const [kept] = keepRecords([{ value: JSON.parse(text), text, line: 1, offset: 0 }], undefined);
    expect(kept).toEqual({ line: 1, offset: 0, text });
    const exact = '{"t":"12345678901234567890","us":1739100000000000}';
    const [other] = keepRecords([{ value: JSON.parse(exact), text: exact, line: 1, offset: 0 }], undefined);
    expect(other).toHaveProperty("record");
  });

  it("keep the text of a record that is nested too deeply or has a property __proto__", () => {
    const deep = `${"[".repeat(200)}${"]".repeat(200)}`;
    for (const text of [deep, '{"__proto__":{"a":1}}']) {
      const [kept] = keepRecords([{ value: JSON.parse(text), text, line: 1, offset: 0 }], undefined);
      expect(kept).toEqual({ line: 1, offset: 0, text });
    }
  });

  it("keep a damaged line with its reason", () => {
    const kept = keepDamaged({ line: 9, offset: 4, text: '{"a', reason: "not JSON" });
    expect(kept).toEqual({ line: 9, offset: 4, text: '{"a', damaged: "not JSON" });
    expect(restoreRecord(kept, undefined)).toBe('{"a');
  });

  it("restore any record, whatever the message holds", () => {
    const texts = fc.string({ minLength: 40, maxLength: 80 });
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), fc.array(texts, { maxLength: 3 }), (raw, list) => {
        const value = JSON.parse(JSON.stringify({ raw, list, again: list })) as Json;
        const content = list.map((text) => ({ type: "text", text }));
        const text = JSON.stringify(value);
        const [kept] = keepRecords([{ value, text, line: 1, offset: 0 }], content);
        const stored = JSON.parse(JSON.stringify(kept));
        expect(restoreRecord(stored, { role: "user", content })).toEqual(value);
      }),
    );
  });
});
