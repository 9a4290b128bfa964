import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { METHODS } from "../../../src/gateway/socket/methods/table.ts";
import { openStore } from "../../../src/store/open.ts";
import { isJsonObject, type Json, type JsonObject } from "../../../src/util/json.ts";
import { fc } from "../../support/fast-check.ts";
import { tempFolder } from "../../support/temp-folder.ts";
import { openPlace } from "../place.ts";
import { chatScene } from "./chat-place.ts";
import { RawSocket } from "./raw-socket.ts";

const CODES = ["VALIDATION_ERROR", "NOT_FOUND", "CONFLICT", "FORBIDDEN", "RATE_LIMITED", "NOT_SUPPORTED"];

/** Values that a schema allows, and others. */
function values(schema: Json | undefined, ids: readonly string[]): fc.Arbitrary<Json> {
  const anything = fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<Json>;
  if (!isJsonObject(schema)) return anything;
  const { type, enum: choices, anyOf, items, properties } = schema;
  const own = (): fc.Arbitrary<Json> => {
    if (Array.isArray(choices)) return fc.constantFrom(...(choices as Json[]));
    if (Array.isArray(anyOf)) return fc.oneof(...(anyOf as Json[]).map((one) => values(one, ids)));
    if (type === "string") return fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom(...ids));
    if (type === "integer") return fc.oneof(fc.integer(), fc.maxSafeInteger());
    if (type === "boolean") return fc.boolean();
    if (type === "null") return fc.constant(null);
    if (type === "array") return fc.array(values(items, ids), { maxLength: 3 });
    if (!isJsonObject(properties)) return anything;
    const each = Object.entries(properties).map(([name, one]) => [name, values(one, ids)] as const);
    return fc.record(Object.fromEntries(each), { requiredKeys: [] }) as fc.Arbitrary<Json>;
  };
  return fc.oneof({ arbitrary: own(), weight: 9 }, { arbitrary: anything, weight: 1 });
}

it.each(METHODS.map((method) => [method.name, method] as const))(
  "%s answers whatever it is asked, as the contract says",
  async (name, { params }) => {
    const place = await openPlace();
    onTestFinished(() => place[Symbol.asyncDispose]());
    const chat = await place.store.open("web:1");
    const { head } = await chat.append({ role: "user", content: "Hello" });
    const ids = [
      chat.id,
      "web:1",
      head,
      `conversation:${chat.id}`,
      "conversations",
      "user",
      "main",
      "offline",
    ];
    let raw = await RawSocket.signedIn(place);
    await fc.assert(
      fc.asyncProperty(values(params as JsonObject, ids), async (given) => {
        if (raw.code !== undefined) raw = await RawSocket.signedIn(place);
        const answer = await raw.call(name, given);
        // What is not a frame at all ends the connection.
        if (answer === undefined) expect([4400, 4429]).toContain(raw.code);
        else if (answer.ok !== true) expect(CODES).toContain(answer.error?.code);
      }),
      { numRuns: 30 },
    );
    expect((await (await RawSocket.signedIn(place)).call("ping", {}))?.ok).toBe(true);
  },
  60_000,
);

it("keeps every message of 64 clients that append at the same time, once", async () => {
  const store = await openStore(`sqlite:${join(tempFolder(), "store.db")}`);
  onTestFinished(() => store.close());
  const { client } = await chatScene([], { store });
  const chat = await store.open("web:1");
  const clients = Array.from({ length: 64 }, () => client("write"));
  await Promise.all(
    clients.map(async (one, at) => {
      for (let n = 0; n < 5; n++) {
        const messages = [{ role: "user", content: `${at}-${n}` }] as const;
        const order = { conversation: chat.id, messages, idempotencyKey: `${at}-${n}` };
        await Promise.all([one.request("messages.append", order), one.request("messages.append", order)]);
      }
    }),
  );
  const { items } = await chat.messages({ limit: 1000 });
  const said = items.map(({ message }) => String(message.content));
  expect(said).toHaveLength(320);
  expect(new Set(said).size).toBe(320);
}, 60_000);
