import { describe, expect, it } from "vitest";
import { fc } from "../../test/support/fast-check.ts";
import { keyOfOlder, settleClaims } from "./copies.ts";
import { resolveSessionKey } from "./resolve.ts";

const [A, B] = ["0198c0de-1111-7222-8333-444455556666", "0198c0de-1111-7222-8333-444455557777"] as const;

describe("two keys that become one", () => {
  it("keep both conversations: the one used last has the key", () => {
    const claims = [
      { key: "discord:dm:42", sessionId: A, updatedAt: 2 },
      { key: "discord:dm:42", sessionId: B, updatedAt: 1 },
      { key: "discord:dm:43", sessionId: B, updatedAt: 1 },
    ];
    expect(settleClaims(claims)).toEqual(["discord:dm:42", `discord:dm:42~${B}`, "discord:dm:43"]);
  });

  it("have a separate key for every conversation, in any order, which resolving does not change", () => {
    const claim = fc.record({
      key: fc.constantFrom("discord:dm:42", "telegram:+4917612345678", "web:AbC"),
      sessionId: fc.oneof(fc.uuid(), fc.string({ minLength: 1 })),
      updatedAt: fc.integer({ min: 0, max: 3 }),
    });
    const claims = fc.uniqueArray(claim, { selector: ({ key, sessionId }) => `${key} ${sessionId}` });
    fc.assert(
      fc.property(claims, (claims) => {
        const keys = settleClaims(claims);
        expect(new Set(keys).size).toBe(claims.length);
        expect(settleClaims(claims.toReversed()).toReversed()).toEqual(keys);
        for (const sessionKey of keys) expect(resolveSessionKey({ sessionKey })).toBe(sessionKey);
      }),
    );
  });

  it("are one claim when they belong to one conversation", () => {
    const claims = [
      { key: "cli:default", sessionId: A, updatedAt: 1 },
      { key: "cli:default", sessionId: A, updatedAt: 2 },
    ];
    expect(settleClaims(claims)).toEqual(["cli:default", "cli:default"]);
  });

  it("do not accumulate marks", () => {
    expect(keyOfOlder(keyOfOlder("cli:x", A), B)).toBe(`cli:x~${B}`);
  });
});
