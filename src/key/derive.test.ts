import { describe, expect, it } from "vitest";
import { fc } from "../../test/support/fast-check.ts";
import { keyOfOlder } from "./copies.ts";
import { deliveryAddress } from "./delivery.ts";
import { type DeriveKeyParams, deriveSessionKey } from "./derive.ts";
import { parseSessionKey } from "./parse.ts";
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
  [{ channel: "whatsapp", from: "4917612345678:12@s.whatsapp.net" }, "whatsapp:+4917612345678"],
  [{ channel: "whatsapp", from: "1", to: "4917612345678:3@c.us" }, "whatsapp:channel:+4917612345678"],
  [{ channel: "irc", from: "100%" }, "irc:dm:100%"],
  [{ channel: "irc", from: "ada~bob" }, "irc:dm:ada~bob"],
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

  it("uses the configured country for national numbers", () => {
    const config = { session: { defaultCountry: "DE" } };
    expect(deriveSessionKey({ channel: "sms", from: "0176 12345678", config })).toBe("sms:+4917612345678");
  });

  it("does not change its meaning by a colon in an id", () => {
    expect(deriveSessionKey({ channel: "discord", from: "1:thread:9" })).toBe("discord:dm:1%3athread%3a9");
    expect(deriveSessionKey({ channel: "cli", from: "x", agentId: "a:discord" })).toBe(
      "agent:a%3adiscord:cli:x",
    );
    expect(deriveSessionKey({ channel: "telegram", from: "channel:-100" })).toBe("telegram:channel%3a-100");
  });

  it("belongs to one sender only, whatever ids consist of", () => {
    const uuid = "0198c0de-1111-7222-8333-444455556666";
    const word = fc.constantFrom(
      ..."a b : % %25 3a 25 7e 64 dm direct thread topic channel # ~".split(" "),
      `~${uuid}`,
    );
    const id = fc.array(word, { minLength: 1, maxLength: 4 }).map((words) => words.join(""));
    const maybe = fc.option(id, { nil: undefined });
    const place = fc.oneof(
      fc.record({ channel: fc.constantFrom("irc", "matrix", "web"), from: id }),
      fc.record({
        channel: fc.constantFrom("irc", "matrix"),
        from: fc.constant("x"),
        to: id,
        threadId: maybe,
      }),
      fc.record({ channel: fc.constant("matrix"), from: fc.constant("x"), threadId: id }),
      fc.record({
        channel: fc.constantFrom("irc", "matrix"),
        from: id,
        agentId: fc.constantFrom("a", "irc"),
      }),
    );
    fc.assert(
      fc.property(fc.uniqueArray(place, { minLength: 2, maxLength: 40, selector: sorted }), (places) => {
        const keys = places.map(deriveSessionKey);
        expect(new Set(keys).size).toBe(places.length);
        for (const key of keys) expect(parseSessionKey(key).mark).toBeUndefined();
      }),
      { numRuns: 1000 },
    );
  });

  it.each<[string, DeriveKeyParams, DeriveKeyParams]>([
    ["a percent sign", { channel: "irc", from: "a:b" }, { channel: "irc", from: "a%3ab" }],
    ["a capital", { channel: "irc", from: "a:b" }, { channel: "irc", from: "a%3Ab" }],
    ["an accent after a colon", { channel: "web", from: ":\u0301" }, { channel: "web", from: "%3\u00e1" }],
    [
      "a colon",
      { channel: "matrix", from: "x", threadId: "a:b" },
      { channel: "matrix", from: "x", to: "a", threadId: "b" },
    ],
    [
      "a room",
      { channel: "slack", team: "T1", from: "U1", to: "#topic" },
      { channel: "slack", team: "T1", from: "U1", to: "#thread" },
    ],
    [
      "a room with a thread",
      { channel: "slack", team: "T1", from: "U1", to: "topic", threadId: "1" },
      { channel: "slack", team: "T1", from: "U1", to: "thread", threadId: "1" },
    ],
    ["a team", { channel: "slack", from: "dm", to: "U0123ABCD" }, { channel: "slack", from: "U0123ABCD" }],
    [
      "a team with a sign",
      { channel: "slack", from: "#Direct", to: "U0123ABCD" },
      { channel: "slack", from: "U0123ABCD" },
    ],
  ])("differs: %s is not enough to pass for another sender", (_what, one, other) => {
    const keys = [one, other].map(deriveSessionKey);
    expect(keys[0]).not.toBe(keys[1]);
    expect(keys.map((sessionKey) => resolveSessionKey({ sessionKey }))).toEqual(keys);
  });

  it("differs from the key of an older conversation", () => {
    const older = keyOfOlder("irc:dm:bob", "0198c0de-0000-7000-8000-000000000001");
    for (const mark of [older.slice(older.indexOf("~")), "~X0123456789abcdef"]) {
      const key = deriveSessionKey({ channel: "irc", from: `bob${mark}` });
      expect(key).not.toBe(older);
      expect(parseSessionKey(key)).toMatchObject({ mark: undefined });
    }
  });

  it("is not changed by resolving, and is the same for the same place", () => {
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

  it("needs a channel and a sender", () => {
    for (const params of [
      { channel: "", from: "x" },
      { channel: "a:b", from: "x" },
      { channel: "Agent", from: "discord:dm:42" },
      { channel: "discord", from: "" },
      { channel: "discord", from: undefined as never },
    ]) {
      expect(() => deriveSessionKey(params)).toThrow(expect.objectContaining({ code: "VALIDATION_ERROR" }));
    }
  });
});

function sorted(params: object): string {
  return JSON.stringify(Object.entries(params).sort());
}

describe("the address for an answer", () => {
  it("is exactly what the platform reported", () => {
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
