import { describe, expect, it } from "vitest";
import { looksLikeSecret, maskSecret, withoutSecrets } from "./mask.ts";

describe("a masked secret", () => {
  it.each([
    ["sk-ant-0123456789abcd", "…abcd"],
    ["123456789012", "…9012"],
    ["12345678901", "…"],
    ["", "…"],
  ])("%s is shown as %s", (value, shown) => {
    expect(maskSecret(value)).toBe(shown);
  });

  it("is taken out of a text of somebody else", () => {
    const text = "401 for rt-0123456789-wxyz with short";
    expect(withoutSecrets(text, ["rt-0123456789-wxyz", undefined, "short", ""])).toBe("401 for …wxyz with …");
  });
});

describe("a word in the wrong place", () => {
  it.each(["sk-ant-x", "AIzaSyA", "ghp_abc", "eyJhbGciOi", "0123456789abcdef01234567"])(
    "%s looks like a secret",
    (word) => expect(looksLikeSecret(word)).toBe(true),
  );
  it.each([
    "anthropic",
    "amazon-bedrock",
    "work",
    "somebody@example.org",
    "ANTHROPIC_API_KEY",
    "google-gemini-cli",
  ])("%s does not", (word) => expect(looksLikeSecret(word)).toBe(false));
});
