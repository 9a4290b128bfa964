/** A process that was killed between an announcement and the removal of the one that it replaces leaves both. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { importConversations } from "../../src/formats/import/run.ts";
import { openStore } from "../../src/store/open.ts";
import { announcementIn, isAnnouncement } from "../../src/store/originals/announcement.ts";
import type { Store } from "../../src/store/store.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { piHeader, piSays } from "./pi-session.ts";

async function announced(store: Store, id: string): Promise<number> {
  const log = await Array.fromAsync(store.ingest().log(id, 0));
  return log.filter(({ kind, data }) => isAnnouncement(kind, data) && announcementIn(data) !== undefined)
    .length;
}

describe.each(["sqlite", "jsonl", "ephemeral"])("an announcement that another replaced, in %s", (engine) => {
  it.each(["redact", "import"])("is erased by the next %s", async (action) => {
    const folder = tempFolder();
    const sources = join(folder, "s");
    mkdirSync(sources);
    const content = piHeader("s1") + piSays("a", null, "hunter2") + piSays("b", "a", "Hello");
    writeFileSync(join(sources, "s.jsonl"), content);
    await using store = await openStore(
      engine === "ephemeral" ? "ephemeral:" : `${engine}:${join(folder, "store")}`,
    );
    await importConversations(store, [sources]);
    const chat = await store.open("pi:s1");
    const ingest = store.ingest();
    const [original] = await ingest.originals(chat.id);
    const [{ entry: _, ...announcement } = { entry: "" }] = original?.announcements ?? [];
    if (!("segments" in announcement)) throw new Error("nothing is announced");
    await ingest.append(
      chat.id,
      undefined,
      [ingest.announcement("again", Date.now(), announcement, [])],
      false,
    );
    expect(await announced(store, chat.id)).toBe(2);
    if (action === "redact") await chat.redact("a");
    else await importConversations(store, [sources], { again: true });
    expect(await announced(store, chat.id)).toBe(1);
  });
});
