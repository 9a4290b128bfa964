import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { tempFolder } from "../../../../test/support/temp-folder.ts";
import { openMemory } from "../../../memory/index.ts";
import { openStore } from "../../../store/index.ts";
import type { JsonObject } from "../../../util/json.ts";
import { checkInput } from "../check-input.ts";
import { ToolRegistry } from "../registry.ts";
import type { ToolCall, ToolOutput } from "../tool.ts";
import { builtInTools } from "./built-in-tools.ts";

const call: ToolCall = { id: "c1", signal: new AbortController().signal, depth: 0, key: "cli:default" };

/** As a loop does it: the input is checked first. */
async function run(
  tools: ToolRegistry,
  name: string,
  input: JsonObject,
  more: Partial<ToolCall> = {},
): Promise<ToolOutput> {
  const tool = tools.get(name);
  if (tool === undefined) throw new Error(`There is no tool ${name}`);
  checkInput(tool.inputSchema, input);
  return tool.run(input, { ...call, ...more });
}

describe("built-in tools", () => {
  it("are those that have something to work on", async () => {
    await using store = await openStore("ephemeral:");
    expect(builtInTools().map(({ name }) => name)).toEqual(["current_time"]);
    const skills = { list: () => [], read: () => "" };
    expect(builtInTools({ store, skills }).map(({ name }) => name)).toEqual([
      "current_time",
      "search_conversations",
    ]);
  });

  it("say the time", async () => {
    const tools = new ToolRegistry(builtInTools({ clock: () => Date.UTC(2026, 2, 1, 12) }));
    expect(await run(tools, "current_time", { timeZone: "Asia/Tokyo" })).toEqual({
      utc: "2026-03-01T12:00:00.000Z",
      local: "Sunday, 1 March 2026 at 21:00:00 GMT+9",
      timeZone: "Asia/Tokyo",
    });
    await expect(run(tools, "current_time", { timeZone: "Mars/Base" })).rejects.toThrow("is not a time zone");
  });

  it("search conversations", async () => {
    await using store = await openStore("ephemeral:");
    const chat = await store.open("cli:default", { title: "Harbours" });
    const { entries } = await chat.append({ role: "user", content: "The harbour of Genoa closes at nine" });
    const tools = new ToolRegistry(builtInTools({ store }));
    expect(await run(tools, "search_conversations", { query: "genoa" })).toEqual({
      hits: [
        {
          at: entries[0]?.at,
          role: "user",
          text: "The harbour of Genoa closes at nine",
          key: "cli:default",
          title: "Harbours",
          conversation: chat.id,
          entry: entries[0]?.id,
        },
      ],
    });
    await expect(run(tools, "search_conversations", { query: "x", limit: 99 })).rejects.toThrow(
      "limit must be at most 30",
    );
  });

  it("search within their scope, whatever the query says", async () => {
    await using store = await openStore("ephemeral:");
    for (const key of ["cli:default", "discord:dm:42", "discord:channel:7"]) {
      await (await store.open(key)).append({ role: "user", content: `A secret of ${key}` });
    }
    const searchScope = ({ key = "" }: ToolCall) => ({ conversation: key });
    const tools = new ToolRegistry(builtInTools({ store, searchScope }));
    for (const query of ["secret", "secret key:cli:default", "secret channel:cli", "secret OR channel:cli"]) {
      const found = await run(tools, "search_conversations", { query }, { key: "discord:channel:7" });
      const { hits } = found as { hits: { key: string }[] };
      expect(hits.map(({ key }) => key).filter((key) => key !== "discord:channel:7")).toEqual([]);
    }
  });

  it("read skills by name", async () => {
    const skills = { list: () => [{ name: "tea" }], read: (name: string) => `The text of ${name}` };
    const tools = new ToolRegistry(builtInTools({ skills }));
    expect(await run(tools, "read_skill", { name: "tea" })).toBe("The text of tea");
  });
});

describe("tools of memory", () => {
  it("remember, recall and forget", async () => {
    await using memory = await openMemory(join(tempFolder(), "memory.db"));
    const tools = new ToolRegistry(builtInTools({ memory }));
    const text = "The user likes green tea.";
    const { remembered } = (await run(tools, "remember", { text })) as { remembered: string[] };
    expect(memory.list().items).toMatchObject([
      { id: remembered[0], text, provenance: { tool: "remember", key: "cli:default" } },
    ]);
    const recalled = await run(tools, "recall", { question: "Which tea does the user like?" });
    expect(recalled).toMatch(
      /^<recalled-memory>\n\[[0-9a-f-]{36}\] note:.*\nThe user likes green tea\.\n<\/rec/,
    );
    expect(await run(tools, "forget", { id: remembered[0] as string })).toEqual({ forgotten: remembered });
    expect(await run(tools, "forget", { id: remembered[0] as string })).toMatch(/no such passage/);
    expect(await run(tools, "recall", { question: "tea" })).toBe("Nothing was remembered about this");
  });

  it("do not remember twice when a call is repeated, nor lose a note to a call with the same id", async () => {
    await using memory = await openMemory(join(tempFolder(), "memory.db"));
    const tools = new ToolRegistry(builtInTools({ memory }));
    await run(tools, "remember", { text: "One." });
    await run(tools, "remember", { text: "One." });
    await run(tools, "remember", { text: "Two." });
    expect(memory.list().items.map((chunk) => chunk.text)).toEqual(["One.", "Two."]);
  });

  it("do not remember what was recalled", async () => {
    await using memory = await openMemory(join(tempFolder(), "memory.db"));
    const tools = new ToolRegistry(builtInTools({ memory }));
    await run(tools, "remember", { text: "The user likes green tea." });
    const recalled = (await run(tools, "recall", { question: "tea" })) as string;
    await expect(run(tools, "remember", { text: recalled }, { id: "c2" })).rejects.toThrow("already has");
    expect(memory.list().items).toHaveLength(1);
  });

  it("forget one passage, never a whole source", async () => {
    await using memory = await openMemory(join(tempFolder(), "memory.db"));
    await memory.add("Keep this.", { source: "0123456789abcdef0123456789abcdef0123" });
    const tools = new ToolRegistry(builtInTools({ memory }));
    await expect(run(tools, "forget", { id: "0123456789abcdef0123456789abcdef0123" })).rejects.toThrow(
      "id must be the id of a passage",
    );
    await expect(run(tools, "forget", { id: "notes" })).rejects.toThrow("at least 36 characters");
    expect(memory.list().items).toHaveLength(1);
  });
});
