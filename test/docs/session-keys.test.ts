import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { resolveSessionKey } from "../../src/key/index.ts";
import { codeSpans, sectionOf, tableRows } from "../support/docs/source-text.ts";

const page = readFileSync("docs/guide/session-keys.md", "utf8");

/** Legacy keys that the page writes in full, each with what it becomes. */
const LEGACY = tableRows(sectionOf(page, "## Legacy keys")).flatMap(([before = "", now = ""]) => {
  const [current = ""] = codeSpans(now);
  const keys = codeSpans(before).filter((key) => key.includes(":"));
  return keys.map((key) => [key.replace("…", "123"), current.replace("…", "123")] as const);
});

describe("the guide to session keys", () => {
  it.each(LEGACY)("says what %s is now", (before, now) => {
    expect(resolveSessionKey({ sessionKey: before })).toBe(now);
  });

  it("has many of them", () => {
    expect(LEGACY.length).toBeGreaterThan(8);
  });
});
