import { describe, expect, it } from "vitest";
import { fc } from "../../../test/support/fast-check.ts";
import { type Chunk, Chunker, type ChunkSettings, chunk, joinChunks } from "./index.ts";

const PIECES = [
  ..."# Title\n|\n\n|\r\n|\r\n\r\n|\n  \n| |. |? |! |word|two words |a|。|漢字|ひらがな|한국어|- item\n|1. one\n|> quote\n".split(
    "|",
  ),
  ..."**bold**|`code`|[link](https://example.org)|```|```ts\n|```\n|````\n|~~~\n|~~~~ js\n|    ```\n|``` a`b\n|\t".split(
    "|",
  ),
  "| a | b |\n",
  "| --- | --- |\n",
  "👨‍👩‍👧‍👦",
  "👩🏽‍🚀",
  "🇩🇪",
  "🇫🇷🇯🇵",
  "e\u0301",
  "o\u0302\u0323\u0331",
  "नमस्ते",
  "ก็",
  "\u0301",
  "\u200d",
  "\ufe0f",
  "\ud83d",
  "\ude00",
  "x".repeat(90),
  "漢".repeat(70),
  "👍🏿".repeat(30),
  "a\u0300".repeat(40),
];

const markdown = fc.array(fc.constantFrom(...PIECES), { maxLength: 80 }).map((pieces) => pieces.join(""));
const settings: fc.Arbitrary<ChunkSettings> = fc.record(
  {
    min: fc.integer({ min: 1, max: 80 }),
    max: fc.integer({ min: 1, max: 200 }),
    preferParagraphs: fc.boolean(),
    delimiters: fc.subarray(["\n\n", "\n", ". ", "。", "🇩", "👨"]),
  },
  { requiredKeys: [] },
);

const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });

function sourceOf({ text, prefix, suffix }: Chunk): string {
  return text.slice(prefix.length, text.length - suffix.length);
}

describe("chunks of any text", () => {
  it("are the text when they are joined", () => {
    fc.assert(
      fc.property(markdown, settings, (text, given) => {
        expect(joinChunks(chunk(text, given))).toBe(text);
      }),
    );
  });

  it("are not longer than the limit, nor shorter than the minimum before the last one", () => {
    fc.assert(
      fc.property(markdown, settings, (text, given) => {
        const { min = 50, max = 500 } = given;
        const chunks = chunk(text, given);
        // A pair of surrogates is never cut, even if only one unit is allowed.
        expect(chunks.filter(({ text: sent }) => sent.length > Math.max(2, max))).toEqual([]);
        expect(chunks.filter((one) => sourceOf(one) === "")).toEqual([]);
        // With so small a limit, the lines of a fence leave no room for a minimum.
        if (min > max / 2) return;
        const short = chunks.slice(0, -1).filter((one, index) => {
          const [first] = graphemes.segment(sourceOf(chunks[index + 1] as Chunk));
          const room = max - one.prefix.length - one.suffix.length - 1;
          // Unless its next character did not fit.
          return sourceOf(one).length < min && sourceOf(one).length + (first?.segment.length ?? 0) <= room;
        });
        expect(short).toEqual([]);
      }),
    );
  });

  it("are never cut inside a character that fits into a chunk", () => {
    fc.assert(
      fc.property(markdown, settings, (text, given) => {
        const { max = 500 } = given;
        const starts = new Map<number, number>();
        for (const { index, segment } of graphemes.segment(text)) {
          for (let at = index + 1; at < index + segment.length; at++) starts.set(at, segment.length);
        }
        let at = 0;
        for (const one of chunk(text, given).slice(0, -1)) {
          at += sourceOf(one).length;
          const room = max - one.prefix.length - one.suffix.length - 1;
          expect(starts.get(at) ?? max).toBeGreaterThan(room);
          const isPair = /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(at - 1, at + 1));
          expect(isPair).toBe(false);
        }
      }),
    );
  });

  it("are the same whatever the pieces were", () => {
    const sizes = fc.array(fc.integer({ min: 0, max: 30 }), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(markdown, settings, sizes, (text, given, lengths) => {
        const chunker = new Chunker(given);
        const chunks: Chunk[] = [];
        for (let at = 0, turn = 0; at < text.length; turn++) {
          const length = lengths[turn % lengths.length] || 1;
          chunks.push(...chunker.push(text.slice(at, at + length)));
          at += length;
        }
        expect([...chunks, ...chunker.end()]).toEqual(chunk(text, given));
      }),
    );
  });

  it("have only whole blocks of code where the limit has room for the lines of a fence", () => {
    const line = fc.constantFrom("const a = 1;", "", "  indented", "漢字", "x".repeat(100), "a b c d e f");
    const block = fc
      .tuple(fc.constantFrom("```", "~~~", "`````"), fc.constantFrom("", "ts", " js title"), fc.array(line))
      .map(([marker, info, lines]) => [`${marker}${info}`, ...lines, marker].join("\n"));
    const page = fc.array(fc.oneof(block, line), { maxLength: 8 }).map((parts) => parts.join("\n\n"));
    fc.assert(
      fc.property(page, fc.integer({ min: 60, max: 300 }), (text, max) => {
        for (const { text: sent } of chunk(text, { min: 20, max })) expect(openFences(sent)).toBe(0);
      }),
    );
  });
});

function openFences(text: string): number {
  let open: string | undefined;
  for (const line of text.split("\n")) {
    const [marker] = /^(?:`{3,}|~{3,})/.exec(line) ?? [];
    if (open === undefined) open = marker;
    else if (line.trim() === open) open = undefined;
  }
  return open === undefined ? 0 : 1;
}
