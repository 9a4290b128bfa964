import { describe, expect, it } from "vitest";
import type { Json } from "../../util/json.ts";
import { maskFields, secretsOf } from "./hide-secrets.ts";

const shown = (value: Json): Json => maskFields(value, []);

describe("secrets", () => {
  it("are hidden where the schema says so", () => {
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
    "encryptionKey",
    "masterKey",
    "simPin",
    "PIN",
  ])("are hidden under the name %s anywhere, with all that is below", (name) => {
    expect(shown({ ui: { [name]: { deep: ["0123456789abcdef"] } } })).toEqual({
      ui: { [name]: { deep: ["…cdef"] } },
    });
  });

  it.each(["tokenizer", "keyboard", "passport", "authors", "publicKey", "sessionKey", "keyId", "spin"])(
    "are not taken for %s",
    (name) => {
      expect(shown({ ui: { [name]: "0123456789abcdef" } })).toEqual({ ui: { [name]: "0123456789abcdef" } });
    },
  );

  it("are numbers, too, but a number of tokens is none", () => {
    expect(
      shown({
        channels: { foo: { password: 987654321012, secrets: [111222333444], token: 5, maxTokens: 5 } },
      }),
    ).toEqual({ channels: { foo: { password: "…1012", secrets: ["…3444"], token: "…", maxTokens: 5 } } });
  });

  it("are hidden under a slip of their name", () => {
    const value = {
      gateway: { auth: { pasword: "0123456789abcdef" } },
      env: { var: { X: "0123456789abcdef" } },
    };
    expect(shown(value)).toEqual({ gateway: { auth: { pasword: "…cdef" } }, env: { var: { X: "…cdef" } } });
  });

  it("are hidden also where a path leads to them, or into them", () => {
    expect(maskFields("0123456789abcdef", ["gateway", "auth", "pasword"])).toBe("…cdef");
    expect(maskFields(111222333444, ["channels", "foo", "secrets", "0"])).toBe("…3444");
    expect(maskFields("plain and long enough", ["channels", "foo", "note"])).toBe("plain and long enough");
  });

  it("are known, so that they are found elsewhere too", () => {
    const value = { hooks: { token: "from-the-config" }, ui: { a: "plain-and-long" } };
    const env = { OPENAI_API_KEY: "from-the-environment", HOME: "/home/somebody", MY_TOKEN: "short" };
    expect(secretsOf({ value, env })).toEqual(["from-the-environment", "from-the-config"]);
  });
});
