/** Rows that OpenClaw itself wrote: a session that was reset, and one that was deleted. */
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, it } from "vitest";
import { tempFolder } from "../../../../test/support/temp-folder.ts";
import { openStore } from "../../../store/open.ts";
import { importConversations } from "../../import/run.ts";

const FIXTURE = "test/fixtures/openclaw/2026.9.6-reset-and-deleted.sql";

it("sessions of OpenClaw 2026.9.6 have their keys and all of their messages", async () => {
  const folder = join(tempFolder(), "agents", "main", "agent");
  mkdirSync(folder, { recursive: true });
  const database = new DatabaseSync(join(folder, "openclaw-agent.sqlite"));
  database.exec(readFileSync(FIXTURE, "utf8"));
  database.close();
  await using store = await openStore(`sqlite:${join(tempFolder(), "store.db")}`);
  const report = await importConversations(store, [folder]);
  expect(report).toMatchObject({ skipped: [], unknown: {}, unresolved: {}, messages: 8, conversations: 2 });
  expect(report.imported.map(({ key }) => key)).toEqual(
    ["agent:main:scratch-1", "agent:main:main"].map((key) => store.resolveKey(key)),
  );
  const said = async (key: string): Promise<string[]> => {
    const { items = [] } = (await (await store.get(key))?.messages({ last: 50 })) ?? {};
    return items.flatMap(({ message }) =>
      message.role === "user" ? [String(message.content)] : [String(message.role)],
    );
  };
  // A reset stays in the same window.
  expect(await said("agent:main:main")).toEqual([
    "Hello @say Walnut.",
    "assistant",
    "Second prompt @say Second answer.",
    "assistant",
    "After the reset @say Fresh.",
    "assistant",
  ]);
  expect(await said("agent:main:scratch-1")).toEqual(["Elsewhere @say Scratch.", "assistant"]);
  expect(await importConversations(store, [folder], { verify: true })).toMatchObject({ missing: [] });
});
