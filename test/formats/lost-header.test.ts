import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { importConversations } from "../../src/formats/import/run.ts";
import { openStore } from "../../src/store/open.ts";
import { kept } from "../support/damage.ts";
import { tempFolder } from "../support/temp-folder.ts";

/** A fixture, and a name under which its program would have written it. */
const FILES: readonly (readonly [string, string])[] = [
  [
    "codex/typed-lines.jsonl",
    "sessions/2026/02/03/rollout-2026-02-03T09-00-00-0199aaaa-0000-7000-8000-00000000000a.jsonl",
  ],
  [
    "codex/bare-lines.jsonl",
    "sessions/2025/06/01/rollout-2025-06-01T10-00-00-5973b6c0-94b8-487b-a530-2aeb6098ae0e.jsonl",
  ],
  ["pi/v1-without-ids.jsonl", "sessions/--home--/2025-11-01T10-00-00-000Z_cc33.jsonl"],
  ["pi/v3-release-1.jsonl", "sessions/--home--/2026-02-02T03-00-00-000Z_ee55.jsonl"],
  [
    "openclaw/agents/main/sessions/7d0c2a8e-1111-4000-8000-000000000001.jsonl",
    "agents/main/sessions/7d0c2a8e-1111-4000-8000-000000000001.jsonl",
  ],
  ["goclaw/v1-with-metadata-line.jsonl", "sessions/telegram_1.jsonl"],
  ["llama-ui/two-sessions.jsonl", "export.jsonl"],
];

function put(name: string, text: string): string {
  const folder = tempFolder();
  const file = join(folder, name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return folder;
}

describe("a transcript without its first line", () => {
  it.each(FILES)("is the conversation that it was: %s", async (fixture, name) => {
    const text = readFileSync(join("test/fixtures", fixture), "utf8");
    await using store = await openStore("ephemeral:");
    const whole = await importConversations(store, [put(name, text)]);
    const torn = await importConversations(store, [put(name, text.slice(text.indexOf("\n") + 1))]);
    expect(torn).toMatchObject({ messages: 0, branches: 0 });
    expect(torn.imported.map(({ id }) => id).sort()).toEqual(whole.imported.map(({ id }) => id).sort());
  });

  it.each(FILES)("has the same messages when nothing else is left: %s", async (fixture, name) => {
    const text = readFileSync(join("test/fixtures", fixture), "utf8");
    await using intact = await openStore("ephemeral:");
    await using torn = await openStore("ephemeral:");
    const whole = await importConversations(intact, [put(name, text)]);
    const rest = await importConversations(torn, [
      put(name, `%${text.slice(0, 30)}\n${text.slice(text.indexOf("\n") + 1)}`),
    ]);
    expect(rest.imported.map(({ id, messages }) => [id, messages])).toEqual(
      whole.imported.map(({ id, messages }) => [id, messages]),
    );
    expect(rest.skippedCount).toBeGreaterThan(0);
  });
});

describe("a file without a single record that is whole", () => {
  it("is kept as far as possible when the user names the format", async () => {
    const torn = '{"conversations": [{"from": "human", "value": "Who is';
    await using store = await openStore("ephemeral:");
    const folder = put("torn.jsonl", `${torn}\n`);
    const report = await importConversations(store, [folder], { format: "sharegpt" });
    expect(report.skippedCount).toBe(1);
    expect([...(await kept(store))]).toContain(JSON.stringify(torn));
    expect(await importConversations(store, [folder], { format: "sharegpt", verify: true })).toMatchObject({
      missing: [],
    });
  });
});

describe("damage before the first conversation of a file that grows", () => {
  it("is kept with the conversation that comes later", async () => {
    const torn = '{"conversations": [{"from": "human", "value": "Who is';
    const whole = '{"id": "w", "conversations": [{"from": "human", "value": "Who sings?"}]}';
    const folder = put("growing.jsonl", `${torn}\n`);
    await using store = await openStore(`sqlite:${join(tempFolder(), "store.db")}`);
    const options = { format: "sharegpt", settleMs: 3_600_000 };
    expect(await importConversations(store, [folder], options)).toMatchObject({
      pending: 1,
      conversations: 0,
    });
    appendFileSync(join(folder, "growing.jsonl"), `${whole}\n`);
    expect(await importConversations(store, [folder], options)).toMatchObject({ messages: 1 });
    expect([...(await kept(store))]).toContain(JSON.stringify(torn));
  });
});
