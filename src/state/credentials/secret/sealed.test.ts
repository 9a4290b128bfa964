import { describe, expect, it } from "vitest";
import { systemRandom } from "../../../util/uuid.ts";
import { KEY_BYTES, type SealKey, seal, unseal } from "./sealed.ts";

function makeKey(id: string): SealKey {
  const bytes = Buffer.alloc(KEY_BYTES);
  systemRandom(bytes);
  return { id, bytes };
}

const key = makeKey("a");
const sealed = seal("sk-ant-söcret", key, "anthropic:default/apiKey", systemRandom);

describe("a sealed value", () => {
  it("is unsealed with its key in its place, and names the key", () => {
    expect(sealed.key).toBe("a");
    expect(unseal(sealed, key, "anthropic:default/apiKey")).toBe("sk-ant-söcret");
    expect(JSON.stringify(sealed)).not.toContain("sk-ant");
  });

  it("differs each time", () => {
    expect(seal("sk-ant-söcret", key, "anthropic:default/apiKey", systemRandom).data).not.toBe(sealed.data);
  });

  it("cannot be unsealed with another key, in another place, or with a changed bit", () => {
    const data = Buffer.from(sealed.data, "base64");
    data[0] = (data[0] ?? 0) ^ 1;
    expect(unseal(sealed, makeKey("a"), "anthropic:default/apiKey")).toBeUndefined();
    expect(unseal(sealed, key, "openai:default/apiKey")).toBeUndefined();
    expect(
      unseal({ ...sealed, data: data.toString("base64") }, key, "anthropic:default/apiKey"),
    ).toBeUndefined();
    expect(unseal({ ...sealed, data: "" }, key, "anthropic:default/apiKey")).toBeUndefined();
    expect(unseal({ ...sealed, iv: "AA==" }, key, "anthropic:default/apiKey")).toBeUndefined();
  });

  it("from before agents were part of the seal can still be unsealed", () => {
    const older = { key: "old", iv: "CQkJCQkJCQkJCQkJ", data: "Ruuk+9KUpBOAFKpUk4/BlGzPhg2i3uWjNgT4BKSD" };
    const key = { id: "old", bytes: Buffer.alloc(KEY_BYTES, 7) };
    expect(unseal(older, key, "x:default/token")).toBe("an older value");
    expect(unseal({ ...older, agent: "main" }, key, "x:default/token")).toBeUndefined();
  });
});
