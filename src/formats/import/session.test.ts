import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { piHeader, piSays } from "../../../test/formats/pi-session.ts";
import { collectGarbage } from "../../../test/support/collect-garbage.ts";
import { surroundings } from "../../../test/support/samples/recording-sink.ts";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { openStore } from "../../store/open.ts";
import { ReportBuilder } from "./report.ts";
import { importConversations } from "./run.ts";
import { ImportSession } from "./session.ts";
import type { ConversationWriter } from "./writer/conversation-writer.ts";

describe("a conversation that two files add to at once", () => {
  it("is written by one after the other, and known completely, though the first only continues", async () => {
    const folder = join(tempFolder(), "sources");
    mkdirSync(folder);
    writeFileSync(
      join(folder, "a.jsonl"),
      piHeader("s1") + piSays("a1", null, "One") + piSays("a2", "a1", "Two"),
    );
    await using store = await openStore("ephemeral:");
    const [first] = (await importConversations(store, [folder])).imported;
    const id = first?.id as string;
    const ingest = store.ingest();
    const { lastSeq } = await ingest.logEnd(id);
    const session = new ImportSession(ingest, "write", new ReportBuilder(), false);
    const remembered = {
      id,
      sourceId: "s1",
      lastSeq,
      lastId: "a2",
      titleMark: null,
      keyMark: null,
      version: null,
    };
    const file = { modifiedMs: 0, mayWrite: Promise.resolve(), isUnfinished: false, left: () => [] };
    const earlier = { ...file, path: "a.jsonl", remembered, resumes: true };
    const none = { ...file, path: "copy.jsonl", remembered: undefined, resumes: false };
    const growing = session.use(id, "pi", { sourceId: "s1" }, earlier);
    const copy = session.use(id, "pi", { sourceId: "s1" }, none);
    copy.add({
      entry: { id: "a2", message: { role: "user", content: "Two" } },
      parent: "a1",
      after: null,
      ...{ form: undefined, at: [], originals: undefined },
      origin: { format: "pi", file: "copy.jsonl", around: surroundings("copy.jsonl") },
      bytes: 1,
    });
    const released = session.release(copy);
    await expect(Promise.race([released, later()])).resolves.toBe("later");
    await session.release(growing);
    await released;
    const log = await Array.fromAsync(ingest.log(id, 0));
    expect(log.filter(({ kind }) => kind === "message")).toHaveLength(2);
  });
});

describe("a conversation that many files add to", () => {
  it("keeps nothing of those that were written, while more of them follow", async () => {
    await using store = await openStore("ephemeral:");
    const session = new ImportSession(store.ingest(), "write", new ReportBuilder(), false);
    const file = { modifiedMs: 0, mayWrite: Promise.resolve(), isUnfinished: false, left: () => [] };
    const use = (path: string): ConversationWriter =>
      session.use("c1", "pi", { sourceId: "s1" }, { ...file, path, remembered: undefined, resumes: false });
    let next = use("0.jsonl");
    const written: WeakRef<ConversationWriter>[] = [];
    for (let count = 1; count <= 10; count++) {
      const writer = next;
      written.push(new WeakRef(writer));
      next = use(`${count}.jsonl`);
      await session.release(writer);
    }
    await later();
    collectGarbage();
    expect(written.filter((writer) => writer.deref() !== undefined).length).toBeLessThan(3);
    await session.release(next);
  });
});

describe("an import of many conversations", () => {
  it.each(["write", "dry-run", "verify"] as const)(
    "keeps nothing of those that were read (%s)",
    async (mode) => {
      await using store = await openStore("ephemeral:");
      const session = new ImportSession(store.ingest(), mode, new ReportBuilder(), false);
      const file = { modifiedMs: 0, mayWrite: Promise.resolve(), isUnfinished: false, left: () => [] };
      const none = { ...file, path: "a.json", remembered: undefined, resumes: false };
      const read: WeakRef<ConversationWriter>[] = [];
      for (let count = 1; count <= 10; count++) {
        const writer = session.use(`c${count}`, "pi", { sourceId: `s${count}` }, none);
        read.push(new WeakRef(writer));
        await session.release(writer);
      }
      await later();
      collectGarbage();
      expect(read.filter((writer) => writer.deref() !== undefined).length).toBeLessThan(3);
      await session.close();
    },
  );
});

/** After everything that needs no more than a few turns of the event loop. */
async function later(): Promise<string> {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
  return "later";
}
