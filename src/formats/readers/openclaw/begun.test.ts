/** After `/new`, the transcript of OpenClaw 2026.7 holds only its header until the first message. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { piHeader, piSays } from "../../../../test/formats/pi-session.ts";
import { tempFolder } from "../../../../test/support/temp-folder.ts";
import { openStore } from "../../../store/open.ts";
import { importConversations } from "../../import/run.ts";

it("is the same conversation, whether it was imported before its first message or not", async () => {
  const write = (text: string, folder = join(tempFolder(), "agents", "main", "sessions")): string => {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "new.jsonl"), text);
    return folder;
  };
  await using store = await openStore(`sqlite:${join(tempFolder(), "store.db")}`);
  const folder = write(piHeader("new"));
  expect(await importConversations(store, [folder])).toMatchObject({ conversations: 0, skipped: [] });
  expect(await importConversations(store, [folder], { verify: true })).toMatchObject({ missing: [] });
  const whole = piHeader("new") + piSays("m1", null, "hello");
  write(whole, folder);
  expect(await importConversations(store, [folder])).toMatchObject({ conversations: 1, messages: 1 });
  expect(await importConversations(store, [folder], { verify: true })).toMatchObject({ missing: [] });
  const moved = write(whole);
  expect(await importConversations(store, [moved])).toMatchObject({ messages: 0 });
  expect(await Array.fromAsync(store.list())).toHaveLength(1);
});
