/** Every branch of every imported fixture, as a request that Anthropic's API would take. */
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, it } from "vitest";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { openStore } from "../../store/open.ts";
import type { JsonObject } from "../../util/json.ts";
import { objectIn, objectsIn, textIn } from "../../util/values.ts";
import { importConversations } from "../import/run.ts";
import { exportConversation } from "./index.ts";

const FORMATS = readdirSync("test/fixtures").filter((name) => name !== "own");

const PROPERTIES: Readonly<Record<string, readonly string[]>> = {
  text: ["text", "citations"],
  image: ["source"],
  document: ["source", "title", "context", "citations"],
  thinking: ["thinking", "signature"],
  redacted_thinking: ["data"],
  tool_use: ["id", "name", "input", "caller"],
  tool_result: ["tool_use_id", "content", "is_error"],
};

const SOURCES: Readonly<Record<string, readonly string[]>> = {
  base64: ["media_type", "data"],
  url: ["url"],
  text: ["media_type", "data"],
  file: ["file_id"],
  content: ["content"],
};

function blocksOf({ content }: JsonObject): JsonObject[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : objectsIn(content);
}

function flawsOf(block: JsonObject, isClaude: boolean): string[] {
  const type = textIn(block.type) ?? "";
  const known = PROPERTIES[type];
  if (known === undefined) return [`a block ${type}`];
  const others = Object.keys(block).filter((name) => name !== "type" && !known.includes(name));
  const source = objectIn(block.source);
  const wanted = source === undefined ? [] : SOURCES[textIn(source.type) ?? ""];
  return [
    ...others.map((name) => `${type}.${name}`),
    ...(type === "text" && textIn(block.text)?.trim() === "" ? ["a blank text"] : []),
    ...(type.endsWith("thinking") && !isClaude ? [`${type} of another model`] : []),
    ...(wanted === undefined || wanted.some((name) => source?.[name] === undefined)
      ? [`source of ${type}`]
      : []),
    ...(type === "tool_use" && objectIn(block.input) === undefined ? ["input"] : []),
    ...objectsIn(block.content).flatMap((inner) => flawsOf(inner, isClaude)),
  ];
}

function flawsIn(messages: readonly JsonObject[], isClaude: boolean): string[] {
  return messages.flatMap((message, index) => {
    const blocks = blocksOf(message);
    const ids = (list: readonly JsonObject[], type: string, name: string): string[] =>
      list.flatMap((block) => (block.type === type ? [String(block[name])] : [])).sort();
    const calls = ids(blocks, "tool_use", "id");
    const before = ids(blocksOf(messages[index - 1] ?? {}), "tool_use", "id");
    const results = ids(blocks, "tool_result", "tool_use_id");
    const firstOther = blocks.findIndex(({ type }) => type !== "tool_result");
    const isMixed = firstOther >= 0 && blocks.slice(firstOther).some(({ type }) => type === "tool_result");
    return [
      ...(index === 0 && message.role !== "user" ? ["the first message is an answer"] : []),
      ...(messages[index - 1]?.role === message.role ? ["two messages of one role"] : []),
      ...(blocks.length === 0 ? ["an empty message"] : []),
      ...(new Set(calls).size < calls.length ? ["two calls with one id"] : []),
      ...(message.role === "user" && results.join() !== before.join() ? ["results without calls"] : []),
      ...(isMixed ? ["a result after other content"] : []),
      ...(message.role === "assistant" && blocks.some(({ type }) => type === "image")
        ? ["an image in an answer"]
        : []),
      ...blocks.flatMap((block) => flawsOf(block, isClaude)),
    ];
  });
}

it.each(FORMATS)("takes the conversations of %s", async (format) => {
  const sources = join(tempFolder(), format);
  cpSync(join("test/fixtures", format), sources, { recursive: true });
  for (const name of readdirSync(sources).filter((file) => file.endsWith(".sql"))) {
    const database = new DatabaseSync(join(sources, name.replace(/sql$/, "db")), {
      enableForeignKeyConstraints: false,
    });
    database.exec(readFileSync(join(sources, name), "utf8"));
    database.close();
    rmSync(join(sources, name));
  }
  await using store = await openStore("ephemeral:");
  const { imported } = await importConversations(store, [sources]);
  for (const { id, key } of imported) {
    for (const { name } of (await store.snapshot(id)).branches) {
      const pieces = await Array.fromAsync(exportConversation(store, id, { to: "claude", branch: name }));
      const messages = objectsIn(JSON.parse(pieces.join("")).messages);
      const isClaude = /claude|komatachi|colloquy|opencode|^pi$/.test(format);
      expect(flawsIn(messages, isClaude), `${key} ${name}`).toEqual([]);
    }
  }
});

it("takes no thinking that another vendor sealed, though the source does not name the model", async () => {
  const file = join(tempFolder(), "rollout.jsonl");
  const item = (payload: JsonObject): string =>
    JSON.stringify({ timestamp: "2026-02-03T09:00:00.000Z", type: "response_item", payload });
  const said = (role: string, text: string): string =>
    item({
      type: "message",
      role,
      content: [{ type: role === "user" ? "input_text" : "output_text", text }],
    });
  const sealed = item({ type: "reasoning", summary: [], encrypted_content: "c2VhbGVk" });
  writeFileSync(file, [said("user", "Hi"), sealed, said("assistant", "Hello"), ""].join("\n"));
  await using store = await openStore("ephemeral:");
  const { imported } = await importConversations(store, [file]);
  const pieces = await Array.fromAsync(exportConversation(store, imported[0]?.id ?? "", { to: "claude" }));
  expect(pieces.join("")).toContain("Hello");
  expect(pieces.join("")).not.toContain("redacted_thinking");
});
