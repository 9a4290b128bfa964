/** A context of a conversation in which a message is damaged. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { type MessageInput, openStore, type Store } from "../../src/index.ts";
import { tempFolder } from "../support/temp-folder.ts";

const NOTICE = "[Messages of this conversation are damaged and missing here]";
/** `load` reads so many entries at a time. */
const PAGE = 256;

/** The words of one message change on the disk. */
const DAMAGE = {
  jsonl(path: string, word: string): void {
    const log = join(path, readdirSync(path).find((name) => /^\d{17}\.jsonl$/.test(name)) ?? "");
    writeFileSync(log, readFileSync(log, "utf8").replace(word, word.toUpperCase()));
  },
  sqlite(path: string, word: string): void {
    using database = new DatabaseSync(path);
    database
      .prepare("UPDATE entries SET body = replace(body, ?, ?) WHERE body LIKE ?")
      .run(word, word.toUpperCase(), `%${word}%`);
  },
};

/** Opens a store with these messages in which the words of one are damaged. */
async function damaged(
  engine: keyof typeof DAMAGE,
  messages: MessageInput[],
  word: string,
): Promise<{ store: Store; problems: string[] }> {
  const path = join(tempFolder(), "store");
  {
    await using store = await openStore(`${engine}:${path}`, { durability: "process" });
    const chat = await store.open("cli:x");
    for (const message of messages) await chat.append(message);
  }
  DAMAGE[engine](path, word);
  const problems: string[] = [];
  const store = await openStore(`${engine}:${path}`, { onProblem: ({ message }) => problems.push(message) });
  return { store, problems };
}

const user = (content: string): MessageInput => ({ role: "user", content });
const assistant = (content: string): MessageInput => ({ role: "assistant", content });

describe.each(["jsonl", "sqlite"] as const)("a context on %s", (engine) => {
  it("says where a message is damaged, to the model and to the caller", async () => {
    const talk = [user("one"), assistant("two"), user("lost-words"), assistant("four"), user("five")];
    const { store, problems } = await damaged(engine, talk, "lost-words");
    await using _ = store;
    const chat = await store.open("cli:x");
    const [, , after] = (await chat.messages()).items;
    for (const strategy of ["auto", "full", "sliding"] as const) {
      const { messages, ledger, tokens } = await chat.context({ maxTokens: 8192, strategy });
      expect(messages.map(({ content }) => content)).toEqual(["one", "two", NOTICE, "four", "five"]);
      expect(ledger.holes).toEqual([after?.id]);
      expect(ledger.kept.reduce((sum, kept) => sum + kept.tokens, 0)).toBe(tokens);
    }
    const reports = problems.filter((text) => /is sent to models without the messages before/.test(text));
    expect(reports).toHaveLength(1);
    expect(reports[0]).toContain(after?.id);
    let summarised: unknown[] = [];
    await chat.compact({
      keepMessages: 1,
      summarize: ({ messages }) => {
        summarised = messages.map(({ content }) => content);
        return "A summary.";
      },
    });
    expect(summarised).toEqual(["one", "two", NOTICE, "four"]);
  });

  it("still says so after a repair", async () => {
    const { store } = await damaged(
      engine,
      [user("one"), assistant("lost-words"), user("three")],
      "lost-words",
    );
    await using _ = store;
    await store.repair();
    const { messages, ledger } = await (await store.open("cli:x")).context({ maxTokens: 8192 });
    expect(messages.map(({ content }) => content)).toEqual(["one", NOTICE, "three"]);
    expect(ledger.holes).toHaveLength(1);
  });

  it("says so when the message after it cannot be sent either", async () => {
    const call: MessageInput = {
      role: "assistant",
      content: [{ type: "tool_use", id: "c1", name: "lost-words", input: {} }],
    };
    const result: MessageInput = {
      role: "user",
      content: [{ type: "tool_result", tool_use_id: "c1", content: "a result" }],
    };
    const talk = [user("one"), call, result, assistant("four"), user("five")];
    const { store } = await damaged(engine, talk, "lost-words");
    await using _ = store;
    const { messages, ledger } = await (await store.open("cli:x")).context({ maxTokens: 8192 });
    expect(messages.map(({ content }) => content)).toEqual(["one", NOTICE, "four", "five"]);
    expect(ledger.holes).toHaveLength(1);
  });

  it("says so between two pages", async () => {
    const talk = Array.from({ length: PAGE + 4 }, (_, index) =>
      user(index === 3 ? "lost-words" : `message ${index}`),
    );
    const { store } = await damaged(engine, talk, "lost-words");
    await using _ = store;
    const { messages } = await (await store.open("cli:x")).context({ maxTokens: 100_000 });
    expect(messages.slice(2, 5).map(({ content }) => content)).toEqual(["message 2", NOTICE, "message 4"]);
  });

  it("says so when the last message was damaged before the next append", async () => {
    const { store } = await damaged(engine, [user("one"), assistant("lost-words")], "lost-words");
    await using _ = store;
    const chat = await store.open("cli:x");
    await chat.append(user("three"));
    const expected = { texts: ["one", NOTICE, "three"], holes: 1 };
    const found = async (): Promise<unknown> => {
      const { messages, ledger } = await chat.context({ maxTokens: 8192 });
      return { texts: messages.map(({ content }) => content), holes: ledger.holes.length };
    };
    expect(await found()).toEqual(expected);
    await store.repair();
    expect(await found()).toEqual(expected);
  });
});

describe("a JSONL log", () => {
  it("keeps the next append apart from a last line whose newline is damaged", async () => {
    const folder = join(tempFolder(), "store");
    const target = `jsonl:${folder}`;
    {
      await using store = await openStore(target, { durability: "process" });
      const chat = await store.open("cli:x");
      for (const text of ["one", "two"]) await chat.append(user(text));
    }
    const log = join(folder, readdirSync(folder).find((name) => /^\d{17}\.jsonl$/.test(name)) ?? "");
    writeFileSync(log, readFileSync(log, "utf8").replace(/\n$/, "*"));
    const problems: string[] = [];
    await using store = await openStore(target, { onProblem: ({ message }) => problems.push(message) });
    const chat = await store.open("cli:x");
    await chat.append(user("three"));
    const { messages, ledger } = await chat.context({ maxTokens: 8192 });
    expect(problems[0]).toContain(log);
    expect(messages.map(({ content }) => content)).toEqual(["one", NOTICE, "three"]);
    expect(ledger.holes).toHaveLength(1);
    await store.repair();
    expect((await store.verify()).findings).toEqual([]);
  });
});
