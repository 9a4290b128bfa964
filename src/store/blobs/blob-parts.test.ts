import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { fc } from "../../../test/support/fast-check.ts";
import type { Block, MessageInput } from "../../message/types.ts";
import { openStore } from "../open.ts";

const LARGE = 16 * 1024;

function toolResult(content: unknown): MessageInput {
  return { role: "user", content: [{ type: "tool_result", tool_use_id: "t", content } as Block] };
}

function image(data: string): Block {
  return { type: "image", source: { type: "base64", media_type: "image/png", data } };
}

describe("large parts of messages", () => {
  it.each([
    ["a tool's text", toolResult("line\n".repeat(LARGE))],
    [
      "text blocks of a tool",
      toolResult([
        { type: "text", text: "é".repeat(LARGE) },
        { type: "text", text: "short" },
      ]),
    ],
    ["an image", { role: "user", content: [image(randomBytes(LARGE).toString("base64"))] } as MessageInput],
    ["an image within a tool's answer", toolResult([image(randomBytes(2 * LARGE).toString("base64"))])],
    ["Base64 in another form", { role: "user", content: [image(`${"A".repeat(LARGE)}\n`)] } as MessageInput],
    ["half a surrogate pair", toolResult(`${"x".repeat(LARGE)}\ud800`)],
    [
      "the same part twice",
      toolResult([
        { type: "text", text: "same ".repeat(LARGE) },
        { type: "text", text: "same ".repeat(LARGE) },
      ]),
    ],
  ])("come back as they went in: %s", async (_, message) => {
    await using store = await openStore("ephemeral:");
    const chat = await store.create();
    const [entry] = (await chat.append(message)).entries;
    expect(entry?.message).toEqual(message);
    expect((await chat.messages()).items[0]?.message).toEqual(message);
    expect((await chat.messages()).items[0]).not.toHaveProperty("blobs");
  });

  it("are named instead, on request", async () => {
    await using store = await openStore("ephemeral:");
    const chat = await store.create();
    const text = "line\n".repeat(LARGE);
    await chat.append(toolResult(text));
    const [entry] = (await chat.messages({ blobs: "references" })).items;
    expect(entry?.blobs).toMatchObject([{ size: text.length, path: ["content", 0, "content"], as: "text" }]);
    expect(entry?.message?.content).toEqual([{ type: "tool_result", tool_use_id: "t", content: "" }]);
  });

  it("make a retry no conflict", async () => {
    await using store = await openStore("ephemeral:");
    const chat = await store.create();
    const message = toolResult("line\n".repeat(LARGE));
    const [first] = (await chat.append(message, { operationId: "once" })).entries;
    const [second] = (await chat.append(message, { operationId: "once" })).entries;
    expect(second).toEqual(first);
    const other = chat.append(toolResult("other\n".repeat(LARGE)), { operationId: "once" });
    await expect(other).rejects.toMatchObject({ code: "CONFLICT" });
  });

  it("are returned unchanged, whatever they contain", async () => {
    await using store = await openStore("ephemeral:");
    const chat = await store.create();
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: "binary" }), fc.boolean(), async (text, asBlocks) => {
        const long = `${text}${"pad ".repeat(LARGE / 4)}`;
        const message = toolResult(asBlocks ? [{ type: "text", text: long }] : long);
        await chat.append(message);
        expect((await chat.messages({ last: 1 })).items[0]?.message).toEqual(message);
      }),
      { numRuns: 60 },
    );
  });

  it("that are referred to must exist", async () => {
    await using store = await openStore("ephemeral:");
    const chat = await store.create();
    const source = (hash: string): MessageInput => ({
      role: "user",
      content: [{ type: "document", source: { type: "blob", hash } }],
    });
    await expect(chat.append(source("0".repeat(64)))).rejects.toMatchObject({ code: "NOT_FOUND" });
    const { hash } = await store.putBlob(Buffer.from("a file"));
    const [entry] = (await chat.append(source(hash))).entries;
    expect((await chat.messages()).items).toEqual([entry]);
  });
});
