import assert from "node:assert/strict";
import type { MessageInput, UnknownBlock } from "../../message/types.ts";
import type { Conversation } from "../../store/conversation.ts";
import type { Store } from "../../store/store.ts";
import { refuses, type Topic } from "../kit.ts";

const cyclic: Record<string, unknown> = { type: "custom" };
cyclic.self = cyclic;

function nested(levels: number): unknown {
  let value: unknown = "bottom";
  for (let level = 0; level < levels; level++) value = { value };
  return value;
}

const with_ = (block: unknown): MessageInput => ({ role: "user", content: [block] }) as MessageInput;

/** What is wrong, the message, and the error. */
const MESSAGES: readonly (readonly [string, unknown, RegExp])[] = [
  ["no message", undefined, /object/],
  ["a string instead of a message", "hello", /object/],
  ["no role", { content: "x" }, /^Invalid message role$/],
  ["an unknown role", { role: "tool", content: "x" }, /^Invalid message role$/],
  ["no content", { role: "user" }, /^Message content required$/],
  ["empty content", { role: "user", content: "" }, /^Message content required$/],
  ["blank content", { role: "user", content: " \n\t" }, /^Message content required$/],
  ["no blocks", { role: "user", content: [] }, /^Message content required$/],
  ["only blank text blocks", with_({ type: "text", text: " " }), /^Message content required$/],
  ["a block without a type", with_({ text: "x" }), /type/],
  ["a text block without text", with_({ type: "text" }), /text/],
  ["a cycle", with_(cyclic), /contains itself/],
  ["nesting beyond 64 levels", with_({ type: "custom", value: nested(70) }), /deeper than 64/],
  ["undefined inside", with_({ type: "custom", value: undefined }), /undefined/],
  ["a function inside", with_({ type: "custom", value: () => 1 }), /function/],
  ["a BigInt inside", with_({ type: "custom", value: 1n }), /bigint/],
  ["NaN inside", with_({ type: "custom", value: Number.NaN }), /NaN/],
  ["a Date inside", with_({ type: "custom", value: new Date() }), /Date/],
  ["a __proto__ member", with_(JSON.parse('{"type":"custom","__proto__":{"admin":true}}')), /__proto__/],
  ["an unknown property", { role: "user", content: "x", colour: "red" }, /colour/],
  ["an id that is too long", { role: "user", content: "x", id: "x".repeat(257) }, /256 bytes/],
  ["an id with a control character", { role: "user", content: "x", id: "a\nb" }, /control/],
  ["half a surrogate pair in an id", { role: "user", content: "x", id: "\ud800" }, /surrogate/],
  ["an invalid time", { role: "user", content: "x", at: "yesterday" }, /time/],
  ["a time without a zone", { role: "user", content: "x", at: "2026-01-01T00:00:00" }, /time/],
  ["a time beyond the year 9999", { role: "user", content: "x", at: "+012026-01-01T00:00:00Z" }, /time/],
];

/** What is wrong, and the call. */
const CALLS: readonly (readonly [string, (store: Store, chat: Conversation) => Promise<unknown>, RegExp])[] =
  [
    ["an id that is not a UUID", (store) => store.get("42"), /^Invalid conversation id$/],
    ["an id that is a path", (store) => store.get("../../etc/passwd"), /^Invalid conversation id$/],
    ["an empty id", (store) => store.get(""), /^Invalid conversation id$/],
    [
      "an id that is not a string",
      (store) => store.get(42 as unknown as string),
      /^Invalid conversation id$/,
    ],
    ["deleting by an invalid id", (store) => store.delete("nope"), /^Invalid conversation id$/],
    ["restoring by an invalid id", (store) => store.restore("nope"), /^Invalid conversation id$/],
    ["creating with an invalid id", (store) => store.create({ id: "nope" }), /^Invalid conversation id$/],
    ["a key without a channel", (store) => store.open(":x"), /session key/],
    ["a key without a colon", (store) => store.open("cli"), /session key/],
    ["a key with a NUL", (store) => store.open("cli:\0"), /control/],
    ["a key that is too long", (store) => store.open(`cli:${"x".repeat(600)}`), /512 bytes/],
    [
      "a title of 121 characters",
      (store) => store.create({ title: "x".repeat(121) }),
      /^Title must be 120 chars or less$/,
    ],
    [
      "changing to a title of 121 characters",
      (_, chat) => chat.update({ title: "x".repeat(121) }),
      /^Title must be 120 chars or less$/,
    ],
    ["an empty title", (store) => store.open("cli:x", { title: "" }), /^Title must not be empty/],
    ["changing to a blank title", (_, chat) => chat.update({ title: " \t" }), /^Title must not be empty/],
    ["a title of two lines", (store) => store.create({ title: "a\nb" }), /^Title .* control characters$/],
    [
      "changing to a title with an escape sequence",
      (_, chat) => chat.update({ title: "a\u009b2J" }),
      /^Title .* control characters$/,
    ],
    ["changing a read-only property", (_, chat) => chat.update({ createdAt: "now" } as object), /createdAt/],
    ["an unknown property of init", (store) => store.create({ colour: "red" } as object), /colour/],
    ["an empty list of messages", (_, chat) => chat.append([]), /at least one/],
    ["one id twice in a list", (_, chat) => chat.append([m("a"), m("a")]), /same id/],
    ["an empty operation id", (_, chat) => chat.append(m("a"), { operationId: "" }), /operation id/],
    ["a limit of zero", (_, chat) => chat.messages({ limit: 0 }), /limit/],
    ["a negative last", (_, chat) => chat.messages({ last: -1 }), /last/],
    ["a fraction", (_, chat) => chat.messages({ last: 1.5 }), /last/],
    [
      "a misspelt option of append",
      (_, chat) => chat.append(m("a"), { operationID: "x" } as object),
      /operationID/,
    ],
    ["a misspelt query of messages", (_, chat) => chat.messages({ limt: 5 } as object), /limt/],
    ["a misspelt query of list", (store) => store.list({ trsh: true } as object), /trsh/],
    ["a key where it has no meaning", (store) => store.open("cli:a", { key: "cli:b" } as object), /key/],
    ["a cursor with a direction", (_, chat) => chat.messages({ cursor: "x", last: 1 }), /Only one/],
    ["two directions", (_, chat) => chat.messages({ last: 1, before: "a" }), /Only one/],
    ["a cursor of another store", (_, chat) => chat.messages({ cursor: "abc" }), /cursor/],
    [
      "a list cursor for a conversation",
      async (store, chat) => {
        await store.create();
        return chat.messages({ cursor: (await store.list({ limit: 1 })).cursor as string });
      },
      /cursor/,
    ],
  ];

function m(id: string): MessageInput {
  return { role: "user", content: "x", id };
}

export const badInput: Topic = (check) => {
  check("each invalid message is refused with its reason, and nothing is written", async (bench) => {
    const store = await bench.open();
    const chat = await store.create();
    await chat.append({ role: "user", content: "before" });
    for (const [what, message, reason] of MESSAGES) {
      const error = await refuses("VALIDATION_ERROR", chat.append(message as MessageInput), reason);
      assert.notEqual(error.field, undefined, what);
    }
    await chat.append({ role: "user", content: "after" });
    assert.equal((await chat.info()).messageCount, 2);
  });

  for (const [what, call, reason] of CALLS) {
    check(`${what} is refused`, async (bench) => {
      const store = await bench.open();
      const chat = await store.create();
      const error = await refuses("VALIDATION_ERROR", call(store, chat), reason);
      assert.deepEqual(Object.keys(error.toJSON()), ["code", "message", "field"]);
      assert.equal((await chat.info()).messageCount, 0);
    });
  }

  check("120 characters and 64 levels are allowed", async (bench) => {
    const store = await bench.open();
    const chat = await store.create({ title: `${"é".repeat(119)}👋` });
    const deepest = with_({ type: "custom", value: nested(61) });
    await chat.append(deepest);
    assert.deepEqual((await chat.messages()).items[0]?.message, deepest);
  });

  check("minus zero is stored as zero", async (bench) => {
    const store = await bench.open();
    const chat = await store.create();
    await chat.append(with_({ type: "custom", value: -0 }));
    const block = (await chat.messages()).items[0]?.message?.content[0] as UnknownBlock;
    assert.ok(Object.is(block.value, 0));
  });
};
