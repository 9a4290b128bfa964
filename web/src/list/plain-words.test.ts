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
])("%s", (text, plain) => {
  expect(plainWords(text)).toBe(plain);
});
