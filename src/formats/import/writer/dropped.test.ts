import { expect, it } from "vitest";
import { surroundings } from "../../../../test/support/samples/recording-sink.ts";
import { openStore } from "../../../store/open.ts";
import { TextPlaceholders } from "../text-placeholders.ts";
import { ConversationWriter } from "./conversation-writer.ts";

const ID = "01980000-0000-7000-8000-000000000001";

it("a conversation that is dropped while it is completed is not created", async () => {
  await using store = await openStore("ephemeral:");
  const ingest = store.ingest();
  const writer = new ConversationWriter({
    ...{ ingest, id: ID, format: "pi", mode: "write", modifiedMs: 1, again: false },
    ...{ start: { sourceId: "s" }, after: Promise.resolve(), mayWrite: Promise.resolve() },
    ...{ remembered: undefined, resumeAfter: undefined, isUnfinished: false, others: () => [] },
    ...{ placeholders: new TextPlaceholders(ingest), replaced() {}, unresolved() {}, missing() {} },
  });
  const origin = { format: "pi", file: "s.jsonl", around: surroundings("/s.jsonl") };
  const entry = { id: "a", message: { role: "user", content: "One" } } as const;
  const queued = { entry, origin, form: undefined, at: [], parent: null, after: null, bytes: 1 };
  writer.add({ ...queued, originals: undefined });
  const finishing = writer.finish();
  await writer.drop();
  await finishing;
  expect(await ingest.find(ID)).toBeUndefined();
});
