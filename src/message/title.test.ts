import { expect, it } from "vitest";
import { fc } from "../../test/support/fast-check.ts";
import { firstWordsOf, titleIn } from "./title.ts";
import type { Block } from "./types.ts";
import { checkTitle } from "./validate.ts";

const text = fc.string({
  unit: fc.constantFrom("a", " ", "\n", "\u0007", "\u200b", "\u2028", "\ud83d", "😀"),
  maxLength: 200,
});

it("is a title that the store accepts, or none", () => {
  fc.assert(
    fc.property(text, (given) => {
      const title = titleIn(given);
      if (title !== null) expect(checkTitle(title)).toBe(title);
      expect(titleIn(title)).toBe(title);
    }),
  );
});

it("leaves a title that the store accepts unchanged", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), (given) => {
      try {
        checkTitle(given);
      } catch {
        return;
      }
      expect(titleIn(given)).toBe(given);
    }),
  );
});

it("of a message that begins with code is the first line of the code", () => {
  const content = "```ts\nconst answer = 42;\n```\nWhy?";
  expect(firstWordsOf({ role: "user", content })).toBe("const answer = 42;");
  expect(firstWordsOf({ role: "user", content: "```\n```" })).toBeUndefined();
});

it("leaves marks of Markdown out of first words", () => {
  const words = (content: string): string | undefined => firstWordsOf({ role: "user", content });
  expect(words("## **Plan** for `main.ts`")).toBe("Plan for main.ts");
  expect(words("> - a quoted list")).toBe("a quoted list");
  expect(words("2 * 3 ** 4 and __init__ stay")).toBe("2 * 3 ** 4 and __init__ stay");
  expect(words("#hashtag")).toBe("#hashtag");
});

it("leaves out the tags that stand around a picture, and no other tag", () => {
  const words = (...content: Block[]): string | undefined => firstWordsOf({ role: "user", content });
  const text = (said: string): Block => ({ type: "text", text: said });
  const image: Block = { type: "image", source: { type: "url", url: "https://example.org/a.png" } };
  expect(words(text('<image name=[Image #1] path="a.png">'), image, text("</image>"), text("Look"))).toBe(
    "Look",
  );
  expect(words(image, text("Look"))).toBe("Look");
  expect(words(text("<image> is a tag"), image, text("Look"))).toBeUndefined();
  expect(words(text("<image>"), text("Look"))).toBeUndefined();
});
