import { describe, expect, it } from "vitest";
import type { Json } from "../../util/json.ts";
import { ROOT } from "./schema/index.ts";
import { secretsOf, withoutSecrets } from "./secrets.ts";

const shown = (value: Json): Json => withoutSecrets(value, ROOT, []);

describe("secrets", () => {
  it("are hidden where the table says so", () => {
    const value = {
      gateway: { auth: { token: "0123456789abcdef", mode: "token" } },
      env: { vars: { X: "y" } },
    };
    expect(shown(value)).toEqual({
      gateway: { auth: { token: "…cdef", mode: "token" } },
      env: { vars: { X: "…" } },
    });
  });

  it.each([
    "token",
    "botToken",
    "api_key",
    "apiKey",
    "API-KEY",
    "clientSecret",
    "password",
    "passphrase",
    "Authorization",
    "cookie",
  ])("are hidden under the name %s anywhere, with all that is below", (name) => {
    expect(shown({ ui: { [name]: { deep: ["0123456789abcdef"] } } })).toEqual({
      ui: { [name]: { deep: ["…cdef"] } },
    });
  });

  it.each(["tokenizer", "keyboard", "passport", "authors"])("are not taken for %s", (name) => {
    expect(shown({ ui: { [name]: "0123456789abcdef" } })).toEqual({ ui: { [name]: "0123456789abcdef" } });
  });

  it("are texts: a number of tokens is none", () => {
    expect(shown({ ui: { maxTokens: 5 } })).toEqual({ ui: { maxTokens: 5 } });
  });

  it("are known, so that they are found elsewhere too", () => {
    const value = { hooks: { token: "from-the-config" }, ui: { a: "plain-and-long" } };
    const env = { OPENAI_API_KEY: "from-the-environment", HOME: "/home/somebody", MY_TOKEN: "short" };
    expect(secretsOf({ value, env })).toEqual(["from-the-environment", "from-the-config"]);
  });
});
