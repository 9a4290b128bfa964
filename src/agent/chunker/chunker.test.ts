import { describe, expect, it } from "vitest";
import { Chunker, chunk, chunkSettings, joinChunks } from "./index.ts";

const texts = (text: string, settings = {}): string[] => chunk(text, settings).map(({ text: sent }) => sent);
const word = (length: number): string => "x".repeat(length);

describe("a chunker", () => {
  it("ends a chunk with the first paragraph that is long enough", () => {
    expect(texts(`# Title\n\n${word(60)}\n\n\n${word(40)}\n\n${word(20)}\n\nend`)).toEqual([
      `# Title\n\n${word(60)}\n\n\n`,
      `${word(40)}\n\n${word(20)}\n\n`,
      "end",
    ]);
  });

  it.each([
    ["a line", `${word(60)}\n${word(60)}. ${word(60)} `, `${word(60)}\n`],
    ["a sentence", `${word(60)}. ${word(60)}? ${word(60)} `, `${word(60)}. ${word(60)}? `],
    ["a sentence in Japanese", `${"語".repeat(60)}。${"日".repeat(60)}`, `${"語".repeat(60)}。`],
    ["a word", `${word(60)} ${word(60)}\t`, `${word(60)} ${word(60)}\t`],
    ["anything", "", ""],
  ])("prefers to cut after %s", (_, start, first) => {
    expect(texts(start + word(500), { min: 50, max: 200 })[0]).toBe(first || word(200));
  });

  it("cuts nowhere below the minimum, except at the end", () => {
    expect(texts(`a b\n\nc. ${word(60)}`, { min: 20, max: 40 })).toEqual([`a b\n\nc. ${word(32)}`, word(28)]);
  });

  it("fills chunks if paragraphs are not preferred", () => {
    const text = `${word(60)}\n\n${word(60)}\n${word(60)}`;
    const [first] = [`${word(60)}\n\n${word(60)}\n`];
    expect(texts(text, { max: 130, preferParagraphs: false })).toEqual([first, word(60)]);
    expect(texts(text, { max: 130, delimiters: ["\n"] })).toEqual([first, word(60)]);
  });

  it("cuts after other delimiters", () => {
    expect(texts(`${word(9)};${word(9)}\n${word(9)}`, { min: 5, max: 25, delimiters: [";"] })).toEqual([
      `${word(9)};`,
      `${word(9)}\n${word(9)}`,
    ]);
  });

  it("returns a paragraph when the next one begins, and nothing twice", () => {
    const chunker = new Chunker();
    expect(chunker.push(word(60))).toEqual([]);
    expect(chunker.push("\n")).toEqual([]);
    expect(chunker.push("\n")).toEqual([]);
    expect(chunker.push("n").map(({ text }) => text)).toEqual([`${word(60)}\n\n`]);
    expect(chunker.push("ext")).toEqual([]);
    expect(chunker.end().map(({ text }) => text)).toEqual(["next"]);
    expect(chunker.end()).toEqual([]);
    expect(chunker.push("again")).toEqual([]);
    expect(chunker.end().map(({ text }) => text)).toEqual(["again"]);
  });

  it.each([
    ["min", 0],
    ["max", 1.5],
    ["max", Number.NaN],
  ])("refuses %s = %d", (name, size) => {
    expect(() => new Chunker({ [name]: size })).toThrow(`${name} of a chunker must be a positive integer`);
  });

  it("refuses an empty delimiter", () => {
    expect(() => new Chunker({ delimiters: [""] })).toThrow("must not be empty");
  });
});

describe("a character in a chunker", () => {
  it.each([
    ["a family", "👨‍👩‍👧‍👦"],
    ["a flag", "🇩🇪"],
    ["a letter with accents", "o\u0302\u0323"],
    ["a line break", "\r\n"],
  ])("stays whole: %s", (_, character) => {
    for (let max = 20; max < 50; max++) {
      const pieces = texts(character.repeat(40), { min: 1, max, delimiters: [] });
      expect(pieces.filter((text) => text.replaceAll(character, "") !== "")).toEqual([]);
      expect(Math.max(...pieces.map(({ length }) => length))).toBeGreaterThan(max - character.length);
    }
  });

  it("is cut between code points if it is longer than the limit", () => {
    expect(texts(`a${"\u0301".repeat(9)}`, { min: 1, max: 5 })).toEqual([
      `a${"\u0301".repeat(4)}`,
      "\u0301".repeat(5),
    ]);
    expect(texts("😀😀", { min: 1, max: 1 })).toEqual(["😀", "😀"]);
  });
});

describe("a block of code in a chunker", () => {
  const lines = (count: number): string => Array.from({ length: count }, (_, n) => `line ${n}\n`).join("");

  it("stays whole if it fits, with its blank lines", () => {
    const code = "```ts\none();\n\n\ntwo();\n```\n";
    expect(texts(`${word(60)}\n${code}\nafter`, { min: 10 })).toEqual([`${word(60)}\n${code}\n`, "after"]);
  });

  it("moves whole to the next chunk if it fits there", () => {
    const code = `\`\`\`ts\n${lines(10)}\`\`\`\n`;
    expect(texts(`${word(60)}\n${code}`, { min: 50, max: 100 })).toEqual([`${word(60)}\n`, code]);
  });

  it("is closed and opened again when it is cut, and marked", () => {
    const text = `\`\`\`ts title="a.ts"\n${lines(10)}\`\`\`\nafter`;
    const chunks = chunk(text, { min: 10, max: 70 });
    expect(chunks).toEqual([
      { text: `\`\`\`ts title="a.ts"\n${lines(6)}\`\`\``, prefix: "", suffix: "```" },
      {
        text: `\`\`\`ts title="a.ts"\n${lines(10).slice(lines(6).length)}\`\`\`\nafter`,
        prefix: '```ts title="a.ts"\n',
        suffix: "",
      },
    ]);
    expect(joinChunks(chunks)).toBe(text);
  });

  it("is cut inside a long line, too", () => {
    expect(texts(`~~~\n${word(60)}\n~~~`, { min: 5, max: 40 })).toEqual([
      `~~~\n${word(32)}\n~~~`,
      `~~~\n${word(28)}\n~~~`,
    ]);
  });

  it("ends only with a marker of its kind that is as long", () => {
    const code = "````md\n```ts\n\n```\n\n~~~~\n\n````\n";
    expect(texts(`${code}\nafter`, { min: 5 })).toEqual([`${code}\n`, "after"]);
    // Code in a sentence opens nothing.
    expect(texts("```inline``` code\n\nafter", { min: 5 })).toEqual(["```inline``` code\n\n", "after"]);
  });

  it("keeps its indentation in a list", () => {
    const text = `- item\n\n    ~~~sh\n    ${word(20)}\n    ${word(20)}\n    ~~~\n`;
    expect(texts(text, { min: 20, max: 60 })).toEqual([
      `- item\n\n    ~~~sh\n    ${word(20)}\n    ~~~`,
      `    ~~~sh\n    ${word(20)}\n    ~~~\n`,
    ]);
  });

  it("does not leave its last line alone in a chunk", () => {
    const text = `\`\`\`\n${lines(4)}\`\`\`\n`;
    for (let max = 30; max < 45; max++) {
      expect(chunk(text, { min: 5, max }).filter(({ text: sent }) => /^```\n```/.test(sent))).toEqual([]);
    }
  });

  it("is cut without added lines if the limit has no room for them", () => {
    const chunks = chunk(`\`\`\`\n${word(30)}\n\`\`\``, { min: 1, max: 15 });
    expect(chunks.map(({ prefix, suffix }) => prefix + suffix).join("")).toBe("");
    const [, second] = chunk(`\`\`\`${word(30)}\n${word(30)}\n\`\`\``, { min: 40, max: 50 });
    expect(second?.prefix).toBe("```\n");
  });
});

describe("the settings of a channel", () => {
  it("are those of the platform by default", () => {
    const max = (channel: string, config = {}): number | undefined => chunkSettings(channel, config).max;
    expect(["telegram", "whatsapp", "discord", "slack"].map((channel) => max(channel))).toEqual([
      4096, 1000, 2000, 500,
    ]);
    const config = { default: { max_chunk_size: 300 }, whatsapp: { max_chunk_size: 5000 } };
    expect(["telegram", "whatsapp", "slack"].map((channel) => max(channel, config))).toEqual([
      4096, 5000, 300,
    ]);
  });

  it("never exceed the limit of a platform", () => {
    expect(chunkSettings("discord", { discord: { max_chunk_size: 9000 } }).max).toBe(2000);
    expect(chunkSettings("discord", { discord: { max_chunk_size: 900 } }).max).toBe(900);
  });

  it("are taken one by one", () => {
    const common = { min_chunk_size: 10, prefer_paragraphs: false, delimiters: ["\n"] };
    expect(chunkSettings("slack", { default: common, slack: { min_chunk_size: 20 } })).toEqual({
      min: 20,
      max: 500,
      preferParagraphs: false,
      delimiters: ["\n"],
    });
    expect(chunkSettings("constructor", {}).max).toBe(500);
  });
});
