import { describe, expect, it } from "vitest";
import { entry } from "../../../test/support/agent-folder.ts";
import { fc } from "../../../test/support/fast-check.ts";
import { writeDocument } from "./document.ts";
import type { SessionStore } from "./entry.ts";
import { IndexEdit } from "./index-edit.ts";

const none = { recover: (): SessionStore => ({}) };

function text(edit: IndexEdit): string {
  return Buffer.concat(edit.content() ?? []).toString();
}

describe("an edit of the index", () => {
  it("of single lines has the same result as an edit of the whole", () => {
    const key = fc.constantFrom("cli:a", "cli:b", "cli:ab", 'web:"q"', "web:ü", "cli:c");
    const label = fc.oneof(fc.string(), fc.constantFrom('x",\n"cli:b": {', "}\n", ",", "\\"));
    const step = fc.tuple(key, fc.option(label, { nil: undefined }));
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), fc.array(step, { maxLength: 12 }), (first, then) => {
        const model: SessionStore = {};
        const apply = (edit: IndexEdit | undefined, steps: typeof first): void => {
          for (const [key, label] of steps) {
            if (edit !== undefined) expect(edit.get(key)).toEqual(model[key]);
            edit?.put(key, label === undefined ? undefined : entry("id", 1, { label }));
            if (label === undefined) delete model[key];
            else model[key] = entry("id", 1, { label });
          }
        };
        apply(undefined, first);
        const bytes = writeDocument({ entries: model, others: {} });
        const edit = new IndexEdit(bytes, none);
        apply(edit, then);
        const written = edit.content() === undefined ? bytes.toString() : text(edit);
        expect(JSON.parse(written)).toEqual(model);
        expect(new IndexEdit(Buffer.from(written), none).all()).toEqual(model);
      }),
      { numRuns: 1000 },
    );
  });

  it("has nothing to write when nothing changed", () => {
    const bytes = writeDocument({ entries: { "cli:a": entry("a", 1) }, others: {} });
    const edit = new IndexEdit(bytes, none);
    edit.get("cli:a");
    edit.put("cli:none", undefined);
    edit.all();
    edit.put("cli:none", undefined);
    expect(edit.content()).toBeUndefined();
  });

  it("changes one line and keeps every other byte", () => {
    const entries = { "cli:a": entry("a", 1), "cli:b": entry("b", 1), "cli:c": entry("c", 1) };
    const before = writeDocument({ entries, others: { note: "kept" } }).toString();
    const edit = new IndexEdit(Buffer.from(before), none);
    edit.put("cli:b", entry("b", 2));
    expect(text(edit)).toBe(before.replace('"sessionId":"b","updatedAt":1', '"sessionId":"b","updatedAt":2'));
  });

  it("does not read a damaged text as an empty one", () => {
    const bytes = Buffer.from('{\n"cli:a": {"sessionId":"a","updatedAt":1},\n"cli:b": {"sessi\n}\n');
    const edit = new IndexEdit(bytes, { recover: () => ({ "cli:saved": entry("s", 1) }) });
    edit.all();
    expect(edit.recovered).toBe(true);
    expect(JSON.parse(text(edit))).toEqual({ "cli:saved": entry("s", 1) });
  });
});
