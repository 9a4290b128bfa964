import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { shapeOf } from "../../../../test/support/samples/conversation-shape.ts";
import { tempFolder } from "../../../../test/support/temp-folder.ts";
import { openStore } from "../../../store/open.ts";
import { importConversations } from "../../import/run.ts";
import { exportName } from "../export-file.ts";
import { exportConversation } from "../index.ts";

/** Conversations of each tool, which are copied to the other one. */
const GEMINI = "test/fixtures/gemini/0.61-resumed-twice.jsonl";
const CODEX = "test/fixtures/codex/0.166-forks";

async function copied(source: string, to: "claude-code" | "codex") {
  await using store = await openStore("ephemeral:");
  const { imported } = await importConversations(store, [source]);
  const { info } = await store.snapshot(imported[0]?.id ?? "");
  const text = (await Array.fromAsync(exportConversation(store, info.id, { to }))).join("");
  const folder = join(tempFolder(), "copy");
  mkdirSync(folder);
  const name = exportName(info, to);
  writeFileSync(join(folder, name), text);
  await using other = await openStore("ephemeral:");
  const report = await importConversations(other, [folder]);
  const [original] = await shapeOf(store);
  const [copy] = await shapeOf(other);
  const entries = await Array.fromAsync((await other.snapshot(report.imported[0]?.id ?? "")).log());
  return { text, name, report, original, copy, entries, info };
}

describe.each(["claude-code", "codex"] as const)("a copy for %s", (to) => {
  it("says the same, in one branch, and none of its records is unknown", async () => {
    const { report, original, copy } = await copied(GEMINI, to);
    expect(report).toMatchObject({ skipped: [], unknown: {}, unresolved: 0, branches: 0 });
    expect(report.imported[0]).toMatchObject({ format: to, flags: {} });
    const said = copy?.active.filter((words) => !words.startsWith("<session_context>"));
    expect(said).toEqual(original?.active);
  });

  it("is a session with an id of its own, in a file with the name that the tool looks for", async () => {
    const { name, report, info, text } = await copied(GEMINI, to);
    const id = report.imported[0]?.sourceId ?? "";
    expect(name.endsWith(`${id}.jsonl`)).toBe(true);
    expect(id).not.toBe(info.id);
    expect(text).not.toContain(info.id);
  });

  it("keeps each call with its result", async () => {
    const { entries } = await copied(GEMINI, to);
    const blocks = entries.flatMap(({ message }) => (Array.isArray(message?.content) ? message.content : []));
    const ids = (type: string, name: string): unknown[] =>
      blocks.flatMap((block) => (block.type === type ? [block[name]] : []));
    expect(ids("tool_use", "id")).toHaveLength(2);
    expect(ids("tool_result", "tool_use_id")).toEqual(ids("tool_use", "id"));
  });

  it("begins the context with the summary of a compaction that kept nothing", async () => {
    const { entries } = await copied(CODEX, to);
    const summaries = entries.flatMap(({ kind, data }) => (kind === "compaction" ? [data] : []));
    expect(summaries).toMatchObject([
      { summary: expect.stringContaining("Another language model"), first_kept: null },
    ]);
  });
});
