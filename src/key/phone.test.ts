import { getCountries, getCountryCallingCode, parsePhoneNumberFromString } from "libphonenumber-js/min";
import { describe, expect, it } from "vitest";
import { fc } from "../../test/support/fast-check.ts";
import { SETTLED, toE164 } from "./phone.ts";

describe("a phone number", () => {
  it("that skips the library would not be changed by it either", () => {
    const code = fc.constantFrom(...new Set(getCountries().map((country) => getCountryCallingCode(country))));
    const number = fc.tuple(code, fc.stringMatching(/^\d{4,13}$/)).map(([code, rest]) => `+${code}${rest}`);
    let taken = 0;
    fc.assert(
      fc.property(number, (number) => {
        if (!SETTLED.test(number)) return;
        taken++;
        const found = parsePhoneNumberFromString(number);
        if (found?.isPossible()) expect(found.number).toBe(number);
      }),
      { numRuns: 30_000 },
    );
    expect(taken).toBeGreaterThan(1000);
  });

  it.each([
    ["+49 176/123-456.78", "+4917612345678"],
    ["+5491123456789", "+5491123456789"],
    ["0176 12345678", "017612345678"],
    ["0049 176 12345678", "+4917612345678"],
    ["00 49 (0)176-12345678", "+4917612345678"],
    ["+0", "+0"],
  ])("%s is %s", (text, number) => {
    expect(toE164(text)).toBe(number);
  });
});
