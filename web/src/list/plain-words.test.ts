import { expect, it } from "vitest";
import { markedWords, plainWords } from "./plain-words.ts";

it.each([
  ["The **slow** part is `rank()`", "The slow part is rank()"],
  ["## A heading", "A heading"],
  ["> Quoted", "Quoted"],
  ["Rows | | :--- | ---: | | Index scan | 12 ms |", "Rows Index scan 12 ms "],
  ["``` Add an ", " Add an "],
  ["a || b", "a b"],
  [" is used now ", " is used now "],
  ["- “Anna likes **green tea**” [**Tea**](#/c/1/2), yesterday", "“Anna likes green tea” Tea, yesterday"],
  ["See [the plan](https://example.com/a-long-pa", "See the plan"],
  ["5 - 3 [sic] * 2", "5 - 3 [sic] * 2"],
])("%s", (text, plain) => {
  expect(plainWords(text)).toBe(plain);
});

it("keeps what is marked, also inside a link", () => {
  const text = "- “The **seeds**” [Where the seeds are](#/c/seeds/1), user";
  const marked = [...text.matchAll(/seeds/g)].map(({ index }) => [index, index + 5] as const);
  expect(markedWords(text, marked)).toEqual([
    { text: "“The ", isMarked: false },
    { text: "seeds", isMarked: true },
    { text: "” Where the ", isMarked: false },
    { text: "seeds", isMarked: true },
    { text: " are, user", isMarked: false },
  ]);
});
