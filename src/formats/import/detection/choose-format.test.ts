import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { ByteSource } from "../../sources/types.ts";
import { ANY_FORMAT } from "./candidates.ts";
import { type Reader, readerFor } from "./reader-for.ts";

const FIXTURES = "test/fixtures";
const NAMES = readdirSync(FIXTURES, { recursive: true, encoding: "utf8" }).filter(
  (name) => !name.startsWith("own") && !name.startsWith("agent-sqlite"),
);
/** Lists beside transcripts: what they say is read with those. */
const TRANSCRIPTS = NAMES.filter((name) => /\.jsonl(\.|$)/.test(name) && !name.includes("session_index"));
const DOCUMENTS = NAMES.filter((name) => name.endsWith(".json"));

function inMemory(bytes: Buffer): ByteSource {
  return {
    async *chunks(from = 0) {
      yield bytes.subarray(from);
    },
    async close() {},
  };
}

function nameOf(reader: Reader): string {
  return "format" in reader ? `${reader.kind} of ${reader.format.name}` : reader.kind;
}

async function chosen(name: string, bytes = readFileSync(join(FIXTURES, name))): Promise<string> {
  return nameOf(await readerFor(inMemory(bytes), name, ANY_FORMAT));
}

function formatOf(name: string): string {
  return name.split("/")[0] as string;
}

/** What may have happened to the first line of a file. */
const DAMAGES: readonly [string, (first: string) => string][] = [
  ["whose first line was lost", () => ""],
  ["whose first line is garbage", () => "\u0000\ufffd%PDF garbage\n"],
  ["whose first line is torn at its beginning", (first) => first.slice(5)],
  ["whose first line is torn at its end", (first) => `${first.slice(0, first.length >> 1)}\n`],
  ["that seems to begin an array", (first) => `[${first.slice(1)}`],
  ["that begins with bytes of something else", (first) => `]}"${first}`],
];

describe.each(TRANSCRIPTS)("the transcript %s", (name) => {
  it("is read by the reader of its own format", async () => {
    expect(await chosen(name)).toBe(`lines of ${formatOf(name)}`);
  });

  it.each(DAMAGES)("%s is still read by it", async (_, damage) => {
    const text = readFileSync(join(FIXTURES, name), "utf8");
    const end = text.indexOf("\n") + 1;
    const bytes = Buffer.from(damage(text.slice(0, end)) + text.slice(end));
    expect(await chosen(name, bytes)).toBe(`lines of ${formatOf(name)}`);
  });
});

it("A session of llama.cpp's UI is distinguished from a session of pi", async () => {
  const session = { type: "session", id: "c1", timestamp: "2026-01-01T10:00:00Z" };
  const bytes = (value: object): Buffer<ArrayBuffer> => Buffer.from(`${JSON.stringify(value)}\n`);
  expect(await chosen("x.jsonl", bytes({ ...session, harness: "llama.app" }))).toBe("lines of llama-ui");
  expect(await chosen("x.jsonl", bytes(session))).toBe("lines of pi");
});

describe("a document", () => {
  it.each(DOCUMENTS)("is read by the reader of its own format or by none: %s", async (name) => {
    expect([`document of ${formatOf(name)}`, "unknown"]).toContain(await chosen(name));
  });

  it.each([
    "chatgpt/conversations-with-branches.json",
    "claude-ai/attachments-and-lines.json",
    "codex/first-release.json",
    "gemini/continued-from-json.json",
    "librechat/nested-branches.json",
    "open-webui/chats.json",
    "openai-chat/request.json",
    "opencode/export.json",
    "personal-agent/one-file-with-tools-as-text.json",
    "sharegpt/items.json",
  ])("is read by the reader of its own format: %s", async (name) => {
    expect(await chosen(name)).toBe(`document of ${formatOf(name)}`);
  });

  it.each(["open-webui/chats.json", "chatgpt/conversations-with-branches.json"])(
    "whose first conversation is torn is recognised by the next: %s",
    async (name) => {
      const value = JSON.parse(readFileSync(join(FIXTURES, name), "utf8"));
      const [first, second] = value.map((chat: unknown) => JSON.stringify(chat));
      for (const torn of [first.slice(1), first.replace('"', ""), first.slice(0, -3), first.slice(0, 300)]) {
        const bytes = Buffer.from(`[${torn},${second}]`);
        expect(await chosen(name, bytes)).toBe(`document of ${formatOf(name)}`);
      }
    },
  );

  it("of which nothing can be read is damaged, and not only unknown", async () => {
    expect(await chosen("x.json", Buffer.from('{"sessionId": "x", "mess'))).toBe("damaged");
    expect(await chosen("x.json", Buffer.from('[{"title": "x", "mapping": {"a'))).toBe("damaged");
    expect(await chosen("x.json", Buffer.from('{ // a comment\n "some": "settings" }'))).toBe("unknown");
    expect(await chosen("x.json", Buffer.from("[1, 2, 3]"))).toBe("unknown");
    expect(await chosen("x.json", Buffer.from('{"some": "settings"}'))).toBe("unknown");
    expect(await chosen("x.txt", Buffer.from("some text"))).toBe("unknown");
    expect(await chosen("x.json", Buffer.from(" \n"))).toBe("empty");
  });
});
