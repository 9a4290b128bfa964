import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { deliveryAddress } from "./delivery.ts";
import { type DeriveKeyParams, deriveSessionKey } from "./derive.ts";
import { resolveSessionKey } from "./resolve.ts";

const CASES: readonly (readonly [params: DeriveKeyParams, key: string])[] = [
  [{ channel: "cli", from: "" }, "cli:default"],
  [{ channel: "cli", from: "local" }, "cli:default"],
  [{ channel: "CLI", from: "Work" }, "cli:work"],
  [{ channel: "discord", from: "42" }, "discord:dm:42"],
  [{ channel: "discord", from: "42", to: "7" }, "discord:channel:7"],
  [{ channel: "discord", from: "42", to: "7", threadId: "9" }, "discord:thread:9"],
  [{ channel: "discord", from: "42", threadId: "9" }, "discord:thread:9"],
  [{ channel: "discord", from: "42", to: "" }, "discord:dm:42"],
  [{ channel: "telegram", from: "+49 (0)176 12345678" }, "telegram:+4917612345678"],
  [{ channel: "telegram", from: "123456789" }, "telegram:123456789"],
  [{ channel: "telegram", from: "1", to: "-100123" }, "telegram:channel:-100123"],
  [{ channel: "telegram", from: "1", to: "-100123", threadId: "7" }, "telegram:thread:-100123:7"],
  [{ channel: "whatsapp", from: "4917612345678@s.whatsapp.net" }, "whatsapp:+4917612345678"],
  [{ channel: "slack", from: "U024BE7LH", to: "C024BE91L", team: "T024BE7LD" }, "slack:T024BE7LD:C024BE91L"],
  [{ channel: "slack", from: "U024BE7LH", to: "T024BE7LD:C024BE91L" }, "slack:T024BE7LD:C024BE91L"],
  [{ channel: "slack", from: "team123", to: "C123456" }, "slack:team123:C123456"],
  [{ channel: "slack", from: "U024BE7LH", to: "C024BE91L" }, "slack:channel:C024BE91L"],
  [{ channel: "slack", from: "U024BE7LH", team: "T024BE7LD" }, "slack:T024BE7LD:dm:U024BE7LH"],
  [{ channel: "slack", from: "U024BE7LH" }, "slack:dm:U024BE7LH"],
  [
    { channel: "slack", from: "U024BE7LH", to: "C024BE91L", team: "T024BE7LD", threadId: "17.1" },
    "slack:T024BE7LD:C024BE91L:thread:17.1",
  ],
  [{ channel: "web", from: "session_AbC" }, "web:session_AbC"],
  [{ channel: "matrix", from: "@Ada:example.org" }, "matrix:dm:@Ada:example.org"],
  [{ channel: "matrix", from: "@Ada:example.org", to: "!R:example.org" }, "matrix:channel:!R:example.org"],
  [{ channel: "matrix", from: "@A:b", to: "!R:b", threadId: "$t" }, "matrix:thread:!R%3ab:$t"],
  [{ channel: "discord", from: "42", agentId: "Ops" }, "agent:ops:discord:dm:42"],
];

describe("the session key of a message", () => {
  it.each(CASES)("%j has %j", (params, key) => {
    expect(deriveSessionKey(params)).toBe(key);
  });

  it("uses the country of the configuration for national numbers", () => {
    const config = { session: { defaultCountry: "DE" } };
    expect(deriveSessionKey({ channel: "sms", from: "0176 12345678", config })).toBe("sms:+4917612345678");
  });

  it("cannot be made another one by a colon in an id", () => {
    expect(deriveSessionKey({ channel: "discord", from: "1:thread:9" })).toBe("discord:dm:1%3athread%3a9");
    expect(deriveSessionKey({ channel: "cli", from: "x", agentId: "a:discord" })).toBe(
      "agent:a%3adiscord:cli:x",
    );
    expect(deriveSessionKey({ channel: "telegram", from: "channel:-100" })).toBe("telegram:channel%3a-100");
  });

  it("is one that resolving leaves alone, and is the same for the same place", () => {
    const id = fc.string({ minLength: 1, maxLength: 12 }).filter((text) => text.trim() !== "");
    const channel = fc.constantFrom("cli", "discord", "telegram", "slack", "web", "matrix", "whatsapp");
    const maybe = fc.option(id, { nil: undefined });
    fc.assert(
      fc.property(channel, id, maybe, maybe, (channel, from, to, threadId) => {
        const key = deriveSessionKey({ channel, from, to, threadId });
        expect(resolveSessionKey({ sessionKey: key })).toBe(key);
      }),
      { numRuns: 3000 },
    );
  });

  it("needs a channel, and somebody who wrote", () => {
    for (const params of [
      { channel: "", from: "x" },
      { channel: "a:b", from: "x" },
      { channel: "discord", from: "" },
      { channel: "discord", from: undefined as never },
    ]) {
      expect(() => deriveSessionKey(params)).toThrow(expect.objectContaining({ code: "VALIDATION_ERROR" }));
    }
  });
});

describe("the address for an answer", () => {
  it("is what the platform said, letter by letter", () => {
    expect(deliveryAddress({ channel: "slack", from: "U1", to: "#General", threadId: "17.1" })).toEqual({
      channel: "slack",
      to: "#General",
      threadId: "17.1",
    });
    expect(deliveryAddress({ channel: "telegram", from: "+49 (0)176 12345678", accountId: "Mine" })).toEqual({
      channel: "telegram",
      to: "+49 (0)176 12345678",
      accountId: "Mine",
    });
  });
});
