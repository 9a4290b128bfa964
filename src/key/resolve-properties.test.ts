import { describe, expect, it } from "vitest";
import { fc } from "../../test/support/fast-check.ts";
import { ColloquyError } from "../errors.ts";
import { CURRENT, resolveAnew, resolveSessionKey } from "./resolve.ts";

const UUID = "0198c0de-1111-7222-8333-444455556666";

describe("any session key", () => {
  it("that takes the shortcut would not be changed anyway", () => {
    const keys = fc.stringMatching(new RegExp(CURRENT.source.replace("(?!local$)", "")));
    fc.assert(
      fc.property(keys, fc.boolean(), (sessionKey, atHome) => {
        const config = atHome ? { session: { defaultCountry: "DE" } } : undefined;
        if (CURRENT.test(sessionKey)) expect(resolveAnew({ sessionKey, config })).toBe(sessionKey);
      }),
      { numRuns: 5000 },
    );
  });

  it("does not change when it is resolved again", () => {
    const word = fc.constantFrom(
      ..."cli discord telegram whatsapp signal slack web agent main local default direct dm channel guild1".split(
        " ",
      ),
      ..."channel7 thread topic group tel +49 0049176 +4917612345678 (0)176 T024BE7LD c024be91l #General".split(
        " ",
      ),
      ...["", " ", "Ⅷ", "İ", "ΑΣ", `~${UUID}`, `x~${UUID.toUpperCase()}`, "+7 8 8912345678", "00", "-100"],
      ...[
        "#topic",
        "#direct",
        "#dm",
        "# x",
        "##a",
        "#u012345678",
        "U012345678",
        "#",
        "000049176123456",
        "+0000",
      ],
      ...[
        "4917612345678:12@s.whatsapp.net",
        "12@lid",
        "4917",
        "<@!42>",
        "<#7>",
        "a%3ab",
        "%64m",
        "guild<@1>",
      ],
      ..."irc matrix email user room tel slack slack imessage sms".split(" "),
    );
    const part = fc.oneof(
      word,
      fc.string({ unit: "binary", maxLength: 8 }),
      fc.stringMatching(/^[+0-9 ().-]{0,18}$/),
    );
    const keys = fc.array(part, { minLength: 1, maxLength: 6 }).map((parts) => parts.join(":"));
    fc.assert(
      fc.property(keys, fc.boolean(), (sessionKey, atHome) => {
        const config = atHome ? { session: { defaultCountry: "DE" } } : undefined;
        const once = resolved(sessionKey, config);
        if (once !== undefined) expect(resolveAnew({ sessionKey: once, config })).toBe(once);
      }),
      { numRuns: 5000 },
    );
  });
});

/** `undefined` for a string that is not a key. Any other error fails the test. */
function resolved(sessionKey: string, config: object | undefined): string | undefined {
  try {
    return resolveSessionKey({ sessionKey, config });
  } catch (error) {
    expect(error).toBeInstanceOf(ColloquyError);
    return undefined;
  }
}
