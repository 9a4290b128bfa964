import { describe, expect, it } from "vitest";
import { safeLink } from "./safe-link.ts";

describe("links in messages", () => {
  it.each(["https://example.org/a?b#c", "http://example.org/", "mailto:ada@example.org", "#/c/01a1/e%2F1"])(
    "lead to %s",
    (address) => {
      expect(safeLink(address)).toBe(address);
    },
  );

  it.each([
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    "  javascript:alert(1)",
    "java\nscript:alert(1)",
    "\u0001javascript:alert(1)",
    "data:text/html,<script>alert(1)</script>",
    "vbscript:x",
    "file:///etc/passwd",
    "blob:https://example.org/x",
    "//example.org/",
    "/api/v1/tokens",
    "#/settings",
    "#/c/01a1/e1?x=javascript:1",
    "#/c/../e1",
    "#/c/01a1/%2e%2e",
    "",
  ])("never lead to %j", (address) => {
    expect(safeLink(address)).toBeUndefined();
  });
});
