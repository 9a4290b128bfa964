import { expect, it } from "vitest";
import { plainWords } from "./plain-words.ts";

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
