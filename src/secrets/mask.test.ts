import { describe, expect, it } from "vitest";
import { maskSecret, maskSecretsIn } from "./mask.ts";

describe("a masked secret", () => {
  it.each([
    ["sk-ant-0123456789abcd", "…abcd"],
    ["123456789012", "…9012"],
    ["12345678901", "…"],
    ["", "…"],
  ])("%s is shown as %s", (value, shown) => {
    expect(maskSecret(value)).toBe(shown);
  });

  it("is masked in a text from elsewhere", () => {
    const text = "401 for rt-0123456789-wxyz with short";
    expect(maskSecretsIn(text, ["rt-0123456789-wxyz", undefined, "short", ""])).toBe("401 for …wxyz with …");
  });
});
