import { describe, expect, it } from "vitest";
import { fc } from "../../../test/support/fast-check.ts";
import { safeText } from "../../util/visible-text.ts";
import { SafeStream } from "./safe-stream.ts";

function passed(pieces: readonly string[]): string {
  const stream = new SafeStream();
  return pieces.map((piece) => stream.push(piece)).join("") + stream.end();
}

describe("a stream of text that others wrote", () => {
  it("loses sequences for the terminal, wherever it is cut", () => {
    const part = fc.constantFrom(
      ..."a|b c|\u001b[31m|\u001b[2J|\u001b]0;title\u0007|\u001b]52;c;eA==\u001b\\|\u009b1m|\r\n|\n|\t|😀|\u202e|\u0000|\u001b".split(
        "|",
      ),
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 20 }), (parts) => {
        const text = parts.join("");
        const units = Array.from({ length: text.length }, (_, index) => text.charAt(index));
        expect(passed(units)).toBe(safeText(text));
      }),
    );
  });

  it("prints plain text at once", () => {
    const stream = new SafeStream();
    expect(["Hel", "lo ", "\u001b[3", "1mred"].map((piece) => stream.push(piece))).toEqual([
      "Hel",
      "lo ",
      "",
      "red",
    ]);
  });

  it("does not wait for a sequence without an end", () => {
    const stream = new SafeStream();
    expect(stream.push(`\u001b]0;${"x".repeat(5000)}`)).toContain("x".repeat(4000));
  });
});
