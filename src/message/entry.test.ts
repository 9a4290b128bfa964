import { describe, expect, it } from "vitest";
import { toEntry, toStoredData } from "./entry.ts";
import type { StoredEntry } from "./types.ts";

function stored(kind: string, data: StoredEntry["data"]): StoredEntry {
  return { id: "e1", seq: 1, parentId: null, kind, at: "2026-01-01T00:00:00.000Z", data };
}

describe("entries", () => {
  it("have camelCase data in memory and snake_case data on disk", () => {
    const data = { summary: "s", firstKept: "m9", firstKeptSeq: 9, tokensBefore: 7, tokensAfter: 1 };
    const written = toStoredData(data);
    expect(written).toEqual({
      ...{ summary: "s", first_kept: "m9", first_kept_seq: 9, tokens_before: 7, tokens_after: 1 },
    });
    expect(toEntry(stored("compaction", written)).data).toEqual(data);
  });

  it("always have the properties of their kind, whatever a file says", () => {
    expect(toEntry(stored("compaction", null)).data).toEqual({ summary: "", firstKept: null });
    expect(toEntry(stored("branch_summary", [1])).data).toEqual({ branch: "", summary: "" });
    expect(toEntry(stored("label", { entry: 4, label: 5, more: 6 })).data).toEqual({
      ...{ entry: "", label: null, more: 6 },
    });
    expect(toEntry(stored("info", "text")).data).toEqual({ type: "" });
  });

  it("carry the data of other kinds along unchanged", () => {
    const data = { first_kept: "a", fromSeq: 1, "": null };
    for (const kind of ["custom", "of_the_future"]) {
      expect(toEntry(stored(kind, data))).toEqual(stored(kind, data));
    }
    expect(toEntry(stored("removed", undefined)).data).toBeNull();
  });
});
