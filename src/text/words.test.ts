import { describe, expect, it } from "vitest";
import { indexWords } from "./index-words.ts";
import { LANGUAGES } from "./languages.ts";
import { visitWords } from "./words.ts";

function wordsOf(text: string): string[] {
  const words: string[] = [];
  visitWords(text, (word) => words.push(word));
  return words;
}

describe("the words of a text", () => {
  it.each([
    ["Two words, one line.", ["two", "words", "one", "line"]],
    ["fitToContextWindow", ["fit", "to", "context", "window", "fittocontextwindow"]],
    ["HTTPServer", ["http", "server", "httpserver"]],
    ["snake_case_name", ["snake", "case", "name"]],
    ["src/store/open.ts", ["src", "store", "open", "ts"]],
    ["v3.53.4 and 3.53.4", ["3.53.4", "and", "3.53.4"]],
    ["ends with 5.", ["ends", "with", "5"]],
    ["sha256 utf8", ["sha256", "utf8"]],
    ["don't, Maria's, l'homme", ["dont", "maria", "l", "homme"]],
    ["Café GRÖSSE Straße", ["cafe", "grosse", "strasse"]],
    ["東京都", ["東京", "京都", "都"]],
    ["iPhoneの価格", ["iphone", "の価", "価格", "格"]],
    ["서울에서", ["서울", "울에", "에서", "서"]],
    ["שָׁלוֹם", ["שלום"]],
    ["İstanbul ısı", ["istanbul", "isi"]],
    ["done 🎉", ["done", "🎉"]],
    ["", []],
    ["\0 \u200b ---", []],
  ])("of %j", (text, words) => {
    expect(wordsOf(text)).toEqual(words);
  });

  it("have their places in the text", () => {
    const text = "a naïve parseQuery, 東京";
    const places: string[] = [];
    visitWords(text, (_word, start, end) => places.push(text.slice(start, end)));
    expect(places).toEqual(["a", "naïve", "parse", "Query", "parseQuery", "東京", "京"]);
  });

  it("leave out data that no one searches", () => {
    expect(wordsOf(`before ${"A9".repeat(400)} after`)).toEqual(["before", "after"]);
  });
});

describe("the words that are indexed", () => {
  const language = (text: string): string => LANGUAGES[indexWords(text).language]?.name ?? "";

  it.each([
    ["The keeper of the lighthouse was there", "english"],
    ["Der Leuchtturm ist nicht auf der Insel", "german"],
    ["Le phare est dans la baie", "french"],
    ["El faro es de la isla y no del puerto", "spanish"],
    ["Где это было и когда", "russian"],
    ["lighthouse", "english"],
    ["маяк", "russian"],
  ])("are of the language of %j", (text, name) => {
    expect(language(text)).toBe(name);
  });

  it("share a stem with other forms of the word", () => {
    const stemsOf = (text: string): string[] =>
      [...new Set(indexWords(text).words)].filter((word) => !word.startsWith("+"));
    expect(stemsOf("running runs run ran")).toEqual(["run"]);
    expect(stemsOf("making made makes make")).toEqual(["mak"]);
    expect(stemsOf("cities city")).toEqual(["city"]);
    expect(stemsOf("boxes box")).toEqual(["box"]);
    expect(stemsOf("stopped stopping stop")).toEqual(["stop"]);
    expect(stemsOf("die Häuser und das Haus des Hauses")).toEqual(["haus"]);
  });

  it("mark those that a text repeats", () => {
    expect(indexWords("anchor, anchor, anchors; chain").words).toEqual([
      ...["anchor", "anchor", "anchor", "chain"],
      "+anchor",
    ]);
  });
});
