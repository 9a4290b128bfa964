import {
  chmodSync,
  existsSync,
  linkSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { type FileIo, systemIo } from "../disk/file-io.ts";
import { ColloquyError } from "../errors.ts";
import type { Message } from "../message/types.ts";
import { ConversationAlreadyExistsError, ConversationNotLoadedError } from "./conversation-errors.ts";
import { Transcript } from "./transcript.ts";
import type { TranscriptDamage, TranscriptOptions } from "./transcript-files.ts";

const user = (content: string): Message => ({ role: "user", content });

function newFolder(): string {
  const base = mkdtempSync(join(tmpdir(), "colloquy-transcript-"));
  onTestFinished(() => rmSync(base, { recursive: true }));
  return join(base, "deep", "chat");
}

function open(folder: string, options: TranscriptOptions = {}): Transcript {
  const chat = new Transcript(folder, { onDamage: () => {}, ...options });
  onTestFinished(() => chat.close());
  return chat;
}

function started(folder: string, texts: readonly string[] = [], options: TranscriptOptions = {}): Transcript {
  const chat = open(folder, options);
  chat.initialize();
  for (const text of texts) chat.appendMessage(user(text));
  return chat;
}

function texts(messages: readonly Message[]): unknown[] {
  return messages.map(({ content }) => content);
}

/** What another process would read. */
function onDisk(folder: string): unknown[] {
  return texts(open(folder).load({ strict: true }));
}

describe("initialize and load", () => {
  it("are explicit: nothing works before one of them", () => {
    const chat = open(newFolder());
    const calls = [
      () => chat.getMessages(),
      () => chat.getMetadata(),
      () => chat.appendMessage(user("x")),
      () => chat.replaceTranscript([]),
      () => chat.updateMetadata({ model: "m" }),
    ];
    for (const call of calls) {
      expect(call).toThrow(ConversationNotLoadedError);
      expect(call).toThrow(expect.objectContaining({ code: "CONFLICT" }));
    }
  });

  it("initialize creates both files, private, and the conversation can be used at once", () => {
    const folder = newFolder();
    const chat = started(folder, []);
    expect(chat.getMessages()).toEqual([]);
    expect(chat.getMetadata()).toMatchObject({ model: null, compactionCount: 0, messageCount: 0 });
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    for (const name of ["transcript.jsonl", "metadata.json"]) {
      expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
    }
  });

  it("initialize keeps a model", () => {
    const chat = open(newFolder());
    chat.initialize({ model: "opus" });
    expect(chat.getMetadata().model).toBe("opus");
  });

  it("initialize refuses a folder that has a conversation, and changes nothing", () => {
    const folder = newFolder();
    started(folder, ["one"]);
    const second = open(folder);
    expect(() => second.initialize()).toThrow(ConversationAlreadyExistsError);
    expect(() => second.getMessages()).toThrow(ConversationNotLoadedError);
    expect(onDisk(folder)).toEqual(["one"]);
  });

  it("load of a missing conversation is NOT_FOUND and creates nothing", () => {
    const folder = newFolder();
    expect(() => open(folder).load()).toThrow(expect.objectContaining({ code: "NOT_FOUND" }));
    expect(existsSync(folder)).toBe(false);
  });

  it("load returns messages of every kind", () => {
    const folder = newFolder();
    const blocks: Message = {
      role: "assistant",
      content: [
        { type: "text", text: "\u2028 \u0000 👩‍👩‍👧" },
        { type: "tool_use", id: "t1", name: "ls", input: { deep: [1, null] } },
      ],
      usage: { input_tokens: 3 },
    };
    const chat = started(folder, ["one"]);
    chat.appendMessage(blocks);
    expect(open(folder).load()).toEqual([user("one"), blocks]);
  });

  it.each(["transcript.jsonl", "metadata.json"])("load completes a conversation that lacks %s", (missing) => {
    const folder = newFolder();
    const { createdAt } = started(folder).getMetadata();
    rmSync(join(folder, missing));
    const chat = open(folder);
    expect(chat.load()).toEqual([]);
    expect(chat.getMetadata().createdAt).toBe(createdAt);
    expect(existsSync(join(folder, missing))).toBe(true);
    chat.appendMessage(user("goes on"));
    expect(onDisk(folder)).toEqual(["goes on"]);
  });

  it("load refuses a missing transcript if messages were counted", () => {
    const folder = newFolder();
    started(folder, ["one"]).close();
    rmSync(join(folder, "transcript.jsonl"));
    expect(() => open(folder).load()).toThrow(expect.objectContaining({ code: "SERVICE_UNAVAILABLE" }));
    expect(existsSync(join(folder, "transcript.jsonl"))).toBe(false);
  });

  it("load rebuilds metadata if both versions are damaged", () => {
    const folder = newFolder();
    started(folder, ["one", "two"]).close();
    for (const name of ["metadata.json", "metadata.json.bak"]) writeFileSync(join(folder, name), "{");
    const chat = open(folder);
    expect(texts(chat.load())).toEqual(["one", "two"]);
    expect(chat.getMetadata().messageCount).toBe(2);
  });

  it("load refuses a file that is not a transcript, and does not change it", () => {
    const folder = newFolder();
    started(folder);
    writeFileSync(join(folder, "transcript.jsonl"), "not ours\nat all\n");
    expect(() => open(folder).load()).toThrow(expect.objectContaining({ code: "VALIDATION_ERROR" }));
    expect(readFileSync(join(folder, "transcript.jsonl"), "utf8")).toBe("not ours\nat all\n");
  });

  it("load skips and reports a damaged line; strict throws a typed error instead", () => {
    const folder = newFolder();
    started(folder, ["one", "two", "three"]).close();
    const path = join(folder, "transcript.jsonl");
    writeFileSync(path, readFileSync(path, "utf8").replace("two", "twO"));
    const damage: TranscriptDamage[] = [];
    const chat = open(folder, { onDamage: (found) => damage.push(found) });
    expect(texts(chat.load())).toEqual(["one", "three"]);
    expect(damage).toMatchObject([{ file: path, reason: "checksum does not match" }]);
    const strict = (): unknown => open(folder).load({ strict: true });
    expect(strict).toThrow(ColloquyError);
    expect(strict).toThrow(expect.objectContaining({ code: "SERVICE_UNAVAILABLE", details: damage[0] }));
    chat.appendMessage(user("four"));
    expect(texts(open(folder).load())).toEqual(["one", "three", "four"]);
  });
});

describe("messages in memory", () => {
  it("are copies, in and out", () => {
    const folder = newFolder();
    const chat = started(folder);
    const block = { type: "text", text: "as appended" };
    const given = { role: "user", content: [block] } as const;
    chat.appendMessage(given as unknown as Message);
    block.text = "changed by the caller";
    const out = chat.getMessages() as unknown as { content: { text: string }[] }[];
    (out[0]?.content[0] as { text: string }).text = "changed by the reader";
    out.pop();
    expect(chat.getMessages()).toEqual([{ role: "user", content: [{ type: "text", text: "as appended" }] }]);
    const loaded = open(folder).load() as unknown[];
    expect(loaded).toEqual(chat.getMessages());
  });

  it("of a replacement are a defensive copy too", () => {
    const chat = started(newFolder(), ["one"]);
    const list = [{ role: "user", content: [{ type: "text", text: "kept" }] }];
    chat.replaceTranscript(list as Message[]);
    (list[0]?.content[0] as { text: string }).text = "changed";
    list.push({ role: "user", content: [] });
    expect(chat.getMessages()).toEqual([{ role: "user", content: [{ type: "text", text: "kept" }] }]);
  });

  it.each([
    ["undefined", undefined],
    ["a string", "text"],
    ["an unknown role", { role: "robot", content: "x" }],
    ["nothing to say", { role: "user", content: "  " }],
    ["an unknown member", { role: "user", content: "x", colour: "red" }],
    ["what JSON cannot hold", { role: "user", content: [{ type: "text", text: "x", when: new Date() }] }],
    ["a cycle", cyclic()],
  ])("are not appended when they are %s, and nothing is written", (_, message) => {
    const folder = newFolder();
    const chat = started(folder, ["one"]);
    const before = readFileSync(join(folder, "transcript.jsonl"));
    expect(() => chat.appendMessage(message as Message)).toThrow(
      expect.objectContaining({ code: "VALIDATION_ERROR" }),
    );
    expect(readFileSync(join(folder, "transcript.jsonl"))).toEqual(before);
    expect(chat.getMessages()).toHaveLength(1);
  });
});

function cyclic(): unknown {
  const block: Record<string, unknown> = { type: "custom" };
  block.self = block;
  return { role: "user", content: [block] };
}

describe("a transcript whose lock file is removed during an append", () => {
  it.each(["stat", "sync"] as const)("refuses to acknowledge it (%s)", (call) => {
    const folder = newFolder();
    let removing = false;
    const remove = (): void => {
      if (removing) rmSync(join(folder, "transcript.jsonl.lock"));
      removing = false;
    };
    const io: FileIo = {
      ...systemIo,
      stat(path) {
        const stat = systemIo.stat(path);
        if (call === "stat" && path.endsWith("transcript.jsonl")) remove();
        return stat;
      },
      sync(file) {
        systemIo.sync(file);
        if (call === "sync") remove();
      },
    };
    const chat = started(folder, ["one"], { io });
    removing = true;
    expect(() => chat.appendMessage(user("two"))).toThrow(/The lock file of .* was removed or replaced/);
    chat.appendMessage(user("three"));
    // After the sync it is there, but another process may have written at the same time.
    const stored = call === "stat" ? ["one", "three"] : ["one", "two", "three"];
    expect(texts(chat.getMessages())).toEqual(stored);
    expect(onDisk(folder)).toEqual(stored);
  });
});

describe("a transcript with a hard link", () => {
  it("can be read, and refuses to write", () => {
    const folder = newFolder();
    const chat = started(folder, ["one"]);
    const other = join(folder, "..", "copy.jsonl");
    linkSync(join(folder, "transcript.jsonl"), other);
    const message = expect.stringMatching(/transcript\.jsonl has 2 hard links/);
    const refusal = expect.objectContaining({ code: "SERVICE_UNAVAILABLE", message });
    expect(() => chat.appendMessage(user("two"))).toThrow(refusal);
    expect(() => chat.replaceTranscript([])).toThrow(refusal);
    expect(onDisk(folder)).toEqual(["one"]);
    rmSync(other);
    chat.appendMessage(user("two"));
    expect(onDisk(folder)).toEqual(["one", "two"]);
  });
});

describe("replaceTranscript", () => {
  it("replaces all messages, and keeps the former file", () => {
    const folder = newFolder();
    const chat = started(folder, ["one", "two"]);
    const former = readFileSync(join(folder, "transcript.jsonl"));
    chat.replaceTranscript([user("summary")]);
    expect(texts(chat.getMessages())).toEqual(["summary"]);
    expect(readFileSync(join(folder, "transcript.jsonl.gen-1"))).toEqual(former);
    const entry = chat.appendMessage(user("after"));
    expect(entry.seq).toBe(4);
    chat.replaceTranscript([]);
    expect(onDisk(folder)).toEqual([]);
    expect(readdirSync(folder).filter((name) => name.includes(".gen-"))).toEqual([
      "transcript.jsonl.gen-1",
      "transcript.jsonl.gen-2",
    ]);
    expect(readdirSync(folder).filter((name) => name.endsWith(".tmp"))).toEqual([]);
  });

  it("changes nothing if a message is invalid, or if the argument is not an array", () => {
    const folder = newFolder();
    const chat = started(folder, ["one"]);
    for (const wrong of [[user("fine"), { role: "robot" }], "text"]) {
      expect(() => chat.replaceTranscript(wrong as Message[])).toThrow(
        expect.objectContaining({ code: "VALIDATION_ERROR" }),
      );
    }
    expect(onDisk(folder)).toEqual(["one"]);
    expect(readdirSync(folder)).not.toContain("transcript.jsonl.gen-1");
  });

  it("continues after a writer that was killed in the middle of it", () => {
    const folder = newFolder();
    const chat = started(folder, ["one"]);
    const path = join(folder, "transcript.jsonl");
    linkSync(path, `${path}.gen-1`);
    chat.appendMessage(user("two"));
    expect(onDisk(folder)).toEqual(["one", "two"]);
    expect(existsSync(`${path}.gen-1`)).toBe(false);
  });

  it("changes nothing when the rename fails", () => {
    const folder = newFolder();
    let broken = false;
    const rename: FileIo["rename"] = (from, to) => {
      if (broken) throw Object.assign(new Error("EIO: rename"), { code: "EIO", syscall: "rename" });
      systemIo.rename(from, to);
    };
    const chat = started(folder, ["one"], { io: { ...systemIo, rename } });
    broken = true;
    expect(() => chat.replaceTranscript([user("new")])).toThrow(
      expect.objectContaining({ code: "SERVICE_UNAVAILABLE" }),
    );
    broken = false;
    expect(texts(chat.getMessages())).toEqual(["one"]);
    chat.appendMessage(user("two"));
    expect(onDisk(folder)).toEqual(["one", "two"]);
    expect(readdirSync(folder).filter((name) => /tmp$|gen/.test(name))).toEqual([]);
  });
});

describe("updateMetadata", () => {
  it("changes the model and the compaction count, and otherwise only updatedAt", () => {
    let nowMs = Date.UTC(2026, 0, 1);
    const folder = newFolder();
    const chat = started(folder, [], { clock: () => nowMs });
    const { createdAt } = chat.getMetadata();
    nowMs += 5000;
    chat.updateMetadata({ model: "opus", compactionCount: 2 });
    const wanted = { createdAt, updatedAt: new Date(nowMs).toISOString(), model: "opus", compactionCount: 2 };
    expect(chat.getMetadata()).toMatchObject(wanted);
    const reader = open(folder);
    reader.load();
    expect(reader.getMetadata()).toMatchObject(wanted);
  });

  it.each([
    ["createdAt", { createdAt: "2020-01-01T00:00:00.000Z" }],
    ["updatedAt", { updatedAt: "2020-01-01T00:00:00.000Z" }],
    ["messageCount", { messageCount: 0 }],
    ["an unknown member", { colour: "red" }],
    ["a negative count", { compactionCount: -1 }],
    ["half a count", { compactionCount: 1.5 }],
    ["an empty model", { model: "" }],
    ["no object", null],
  ])("refuses %s", (_, patch) => {
    const chat = started(newFolder());
    const before = chat.getMetadata();
    expect(() => chat.updateMetadata(patch as never)).toThrow(
      expect.objectContaining({ code: "VALIDATION_ERROR" }),
    );
    expect(chat.getMetadata()).toEqual(before);
  });

  it("returns metadata that cannot be used to change it", () => {
    const chat = started(newFolder());
    const metadata = chat.getMetadata() as { model: string | null };
    metadata.model = "changed";
    expect(chat.getMetadata().model).toBeNull();
  });

  it("moves updatedAt with each message too", () => {
    let nowMs = Date.UTC(2026, 0, 1);
    const chat = started(newFolder(), [], { clock: () => nowMs });
    nowMs += 10;
    chat.appendMessage(user("one"));
    expect(chat.getMetadata()).toMatchObject({ updatedAt: new Date(nowMs).toISOString(), messageCount: 1 });
  });
});

describe("a metadata write that fails after its message", () => {
  it("is reported by the next call, which does nothing; the message stays", () => {
    let nowMs = Date.UTC(2026, 0, 1);
    let broken = false;
    const rename: FileIo["rename"] = (from, to) => {
      if (broken) throw Object.assign(new Error("EIO: rename"), { code: "EIO", syscall: "rename" });
      systemIo.rename(from, to);
    };
    const folder = newFolder();
    const chat = started(folder, [], { clock: () => nowMs, io: { ...systemIo, rename } });
    nowMs += 60_000;
    broken = true;
    chat.appendMessage(user("kept"));
    expect(onDisk(folder)).toEqual(["kept"]);
    broken = false;
    expect(() => chat.appendMessage(user("second"))).toThrow(/The message is stored. This call did nothing/);
    expect(onDisk(folder)).toEqual(["kept"]);
    chat.appendMessage(user("second"));
    expect(onDisk(folder)).toEqual(["kept", "second"]);
    expect(chat.getMetadata().messageCount).toBe(2);
  });
});

describe("two writers of one transcript", () => {
  it("see one another's messages and keep one order", () => {
    const folder = newFolder();
    const first = started(folder);
    const second = open(folder);
    second.load();
    const entries = [];
    for (let turn = 0; turn < 10; turn++) {
      entries.push((turn % 3 === 0 ? second : first).appendMessage(user(`turn ${turn}`)));
    }
    const wanted = Array.from({ length: 10 }, (_, turn) => `turn ${turn}`);
    expect(onDisk(folder)).toEqual(wanted);
    expect(texts(second.getMessages())).toEqual(wanted.slice(0, 10));
    expect(entries.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(entries.map(({ parentId }) => parentId)).toEqual([
      null,
      ...entries.slice(0, -1).map(({ id }) => id),
    ]);
  });

  it.each([
    ["fewer", ["x"]],
    ["as many", ["x", "y"]],
    ["more", ["x", "y", "z ".repeat(500), "last"]],
  ])("notice a replacement by %s messages, even before the first append", (_, replacement) => {
    for (const appendedBefore of [false, true]) {
      const folder = newFolder();
      const first = started(folder, ["one", "two"]);
      const second = open(folder);
      second.load();
      const own = appendedBefore ? ["own"] : [];
      for (const text of own) second.appendMessage(user(text));
      const third = open(folder);
      third.load();
      third.replaceTranscript(replacement.map(user));
      for (const chat of [second, first]) chat.appendMessage(user("after"));
      expect(texts(second.getMessages())).toEqual([...replacement, "after"]);
      expect(texts(first.getMessages())).toEqual([...replacement, "after", "after"]);
      expect(onDisk(folder)).toEqual([...replacement, "after", "after"]);
    }
  });

  it("cannot replace what they have not seen: appended messages are a CONFLICT", () => {
    const folder = newFolder();
    const first = started(folder, ["one"]);
    const second = open(folder);
    second.load();
    first.appendMessage(user("unseen"));
    expect(() => second.replaceTranscript([user("summary")])).toThrow(
      expect.objectContaining({ code: "CONFLICT", details: { unseen: 1 } }),
    );
    expect(texts(second.getMessages())).toEqual(["one", "unseen"]);
    expect(second.getMetadata().messageCount).toBe(2);
    second.replaceTranscript([user("summary")]);
    expect(onDisk(folder)).toEqual(["summary"]);
  });

  it("cannot replace what they have not seen: another replacement of equal length is a CONFLICT", () => {
    const folder = newFolder();
    const first = started(folder, ["one"]);
    const second = open(folder);
    second.load();
    first.replaceTranscript([user("unseen")]);
    expect(() => second.replaceTranscript([user("summary")])).toThrow(
      expect.objectContaining({ code: "CONFLICT" }),
    );
    expect(onDisk(folder)).toEqual(["unseen"]);
    expect(texts(second.getMessages())).toEqual(["unseen"]);
  });

  it("do not undo one another's metadata", () => {
    const folder = newFolder();
    const first = started(folder);
    const second = open(folder);
    second.load();
    first.updateMetadata({ model: "opus" });
    second.updateMetadata({ compactionCount: 1 });
    const reader = open(folder);
    reader.load();
    expect(reader.getMetadata()).toMatchObject({ model: "opus", compactionCount: 1 });
  });
});

describe("an error of the system", () => {
  it.skipIf(process.getuid?.() === 0)("is a ColloquyError when the folder cannot be written", () => {
    const folder = newFolder();
    started(folder, ["one"]).close();
    chmodSync(folder, 0o500);
    onTestFinished(() => chmodSync(folder, 0o700));
    const chat = open(folder);
    expect(texts(chat.load())).toEqual(["one"]);
    expect(() => chat.updateMetadata({ model: "m" })).toThrow(
      expect.objectContaining({ code: "SERVICE_UNAVAILABLE" }),
    );
  });

  it("is a ColloquyError if the folder is a file", () => {
    const folder = newFolder();
    started(folder, []);
    const file = join(folder, "file");
    writeFileSync(file, "x");
    expect(() => open(join(file, "chat")).initialize()).toThrow(
      expect.objectContaining({ code: "SERVICE_UNAVAILABLE" }),
    );
  });
});
