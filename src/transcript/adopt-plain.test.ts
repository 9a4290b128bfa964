import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { Transcript } from "./transcript.ts";
import type { TranscriptDamage } from "./transcript-files.ts";

const FIXTURE = new URL("../../test/fixtures/komatachi/kitchen", import.meta.url).pathname;
const META = '{"createdAt":1767225600000,"updatedAt":1767225700000,"compactionCount":2,"model":"m-1"}';

/** Removed after the transcripts in it are closed. */
function tempFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "colloquy-plain-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

function open(folder: string): { chat: Transcript; damage: TranscriptDamage[] } {
  const damage: TranscriptDamage[] = [];
  const chat = new Transcript(folder, { onDamage: (bad) => damage.push(bad) });
  onTestFinished(() => chat.close());
  return { chat, damage };
}

function folderWith(transcript: string | undefined, metadata: string | undefined): string {
  const folder = tempFolder();
  if (transcript !== undefined) writeFileSync(join(folder, "transcript.jsonl"), transcript);
  if (metadata !== undefined) writeFileSync(join(folder, "metadata.json"), metadata);
  return folder;
}

const line = (content: string): string => `${JSON.stringify({ role: "user", content })}\n`;
const contents = (chat: Transcript): unknown[] => chat.getMessages().map(({ content }) => content);

describe("a folder of plain messages", () => {
  it("is taken over by load, and its files are kept", () => {
    const folder = join(tempFolder(), "chat");
    cpSync(FIXTURE, folder, { recursive: true });
    const before = readFileSync(join(folder, "transcript.jsonl"), "utf8");
    const { chat, damage } = open(folder);
    const plain = before.trimEnd().split("\n");
    expect(chat.load({ strict: true })).toEqual(plain.map((text) => JSON.parse(text)));
    expect(chat.getMetadata()).toEqual({
      createdAt: "2026-01-01T00:00:00.000Z",
      updatedAt: "2026-01-01T00:01:40.000Z",
      model: "claude-opus-4",
      compactionCount: 2,
      messageCount: 4,
    });
    chat.appendMessage({ role: "user", content: "And now?" });
    const again = open(folder).chat;
    expect(again.load({ strict: true })).toHaveLength(5);
    expect(again.getMetadata()).toMatchObject({ model: "claude-opus-4", compactionCount: 2 });
    expect(readFileSync(join(folder, "transcript.jsonl.plain"), "utf8")).toBe(before);
    expect(existsSync(join(folder, "metadata.json.plain"))).toBe(true);
    expect(damage).toEqual([]);
  });

  it.each<[string, string | undefined, string | undefined, string[]]>([
    ["without messages", "", META, []],
    ["without a transcript", undefined, META, []],
    ["without metadata", line("a") + line("b"), undefined, ["a", "b"]],
    ["without a last newline", line("a") + line("b").trimEnd(), META, ["a", "b"]],
    ["with CRLF and an empty line", `${line("a").trimEnd()}\r\n\r\n`, META, ["a"]],
  ])("is taken over %s", (_, transcript, metadata, wanted) => {
    const { chat, damage } = open(folderWith(transcript, metadata));
    chat.load({ strict: true });
    expect(contents(chat)).toEqual(wanted);
    chat.appendMessage({ role: "user", content: "next" });
    expect(contents(chat)).toEqual([...wanted, "next"]);
    expect(damage).toEqual([]);
  });

  it("reports lines that it cannot convert, which stay in the kept file", () => {
    const text = `${line("a")}{"role":"user","con\n${line("b")}{"role":"us`;
    const folder = folderWith(text, META);
    expect(() => open(folder).chat.load({ strict: true })).toThrow(/damaged/);
    expect(readFileSync(join(folder, "transcript.jsonl"), "utf8")).toBe(text);
    const { chat, damage } = open(folder);
    chat.load();
    expect(contents(chat)).toEqual(["a", "b"]);
    expect(damage.map(({ file }) => file)).toEqual(Array(2).fill(join(folder, "transcript.jsonl.plain")));
    expect(readFileSync(join(folder, "transcript.jsonl.plain"), "utf8")).toBe(text);
  });

  it("is completed after a crash between its two files", () => {
    const converted = folderWith(line("a"), META);
    open(converted).chat.load();
    const metadata = readFileSync(join(converted, "metadata.json"), "utf8");
    const folder = folderWith(line("a") + line("b"), metadata);
    const { chat } = open(folder);
    chat.load({ strict: true });
    expect(contents(chat)).toEqual(["a", "b"]);
    const [header = ""] = readFileSync(join(folder, "transcript.jsonl"), "utf8").split("\n");
    expect(JSON.parse(header).id).toBe(JSON.parse(metadata).id);
    expect(chat.getMetadata()).toMatchObject({ model: "m-1", compactionCount: 2 });
  });

  it.each(["", line("a")])("is not one whose first line is something else", (rest) => {
    const folder = folderWith(`not a transcript\n${rest}`, undefined);
    expect(() => open(folder).chat.load()).toThrow(/not a transcript of Colloquy/);
  });
});

describe("a transcript", () => {
  it("knows after a kill when it was last changed", async () => {
    const folder = join(tempFolder(), "chat");
    const module = new URL("./transcript.ts", import.meta.url).href;
    const script = `
      import { Transcript } from ${JSON.stringify(module)};
      const chat = new Transcript(${JSON.stringify(folder)});
      chat.initialize();
      for (let n = 0; n < 3; n++) chat.appendMessage({ role: "user", content: String(n) });
      await new Promise((resolve) => setTimeout(resolve, 5));
      const { at } = chat.appendMessage({ role: "user", content: "last" });
      console.log(at);
      setInterval(() => {}, 1000);`;
    const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [printed] = await once(child.stdout, "data");
    child.kill("SIGKILL");
    await once(child, "close");
    const { chat } = open(folder);
    chat.load({ strict: true });
    expect(chat.getMetadata()).toMatchObject({ updatedAt: String(printed).trim(), messageCount: 4 });
  });

  it("refuses an id that it has", () => {
    const { chat } = open(tempFolder());
    chat.initialize();
    chat.appendMessage({ role: "user", content: "first", id: "one" });
    expect(() => chat.appendMessage({ role: "user", content: "second", id: "one" })).toThrow(
      expect.objectContaining({ code: "CONFLICT", field: "id" }),
    );
    expect(contents(chat)).toEqual(["first"]);
    const twice = ["x", "y"].map((content) => ({ role: "user" as const, content, id: "same" }));
    expect(() => chat.replaceTranscript(twice)).toThrow(/same id/);
    chat.replaceTranscript([{ role: "user", content: "again", id: "one" }]);
    expect(() => chat.appendMessage({ role: "user", content: "late", id: "one" })).toThrow(/another id/);
    chat.appendMessage({ role: "user", content: "new", id: "two" });
    expect(contents(chat)).toEqual(["again", "new"]);
  });

  it("refuses an id that another process has written", () => {
    const folder = tempFolder();
    const { chat } = open(folder);
    chat.initialize();
    const other = open(folder).chat;
    other.load();
    other.appendMessage({ role: "user", content: "theirs", id: "one" });
    expect(() => chat.appendMessage({ role: "user", content: "mine", id: "one" })).toThrow(/another id/);
    const read = open(folder).chat;
    read.load();
    expect(contents(read)).toEqual(["theirs"]);
  });
});
