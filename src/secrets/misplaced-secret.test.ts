import { describe, expect, it } from "vitest";
import { looksLikeSecret } from "./misplaced-secret.ts";

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
