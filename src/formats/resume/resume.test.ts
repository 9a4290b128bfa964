import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { openStore } from "../../store/open.ts";
import type { Json } from "../../util/json.ts";
import { importConversations } from "../import/run.ts";
import { type Resumable, resumeConversation } from "./resume.ts";

/** Imports one file, and continues its conversation with this home folder. */
async function resumed(name: string, lines: readonly Json[], home = tempFolder()): Promise<Resumable> {
  await using store = await openStore("ephemeral:");
  const path = join(tempFolder(), name);
  mkdirSync(join(path, ".."), { recursive: true });
  writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  await importConversations(store, [join(path, "..")]);
  const [{ id } = { id: "" }] = await Array.fromAsync(store.list());
  return await resumeConversation(store, id, { home, data: join(home, "data"), environment: {} }, home);
}

const TIME = "2026-01-01T00:00:00.000Z";
const codex = (id: string): Json[] => [
  { timestamp: TIME, type: "session_meta", payload: { id, timestamp: TIME, cwd: "/tmp" } },
  {
    ...{ timestamp: TIME, type: "response_item" },
    payload: { type: "message", role: "user", content: [{ type: "input_text", text: "hello" }] },
  },
];
const gemini = (id: string): Json[] => [
  { sessionId: id, projectHash: "a".repeat(32), startTime: TIME },
  { id: "m1", timestamp: TIME, type: "user", content: "hello" },
];

describe("an id that the command of the tool would take for an option", () => {
  it.each([
    ["Codex", codex("--dangerously-bypass-approvals-and-sandbox")],
    ["Gemini CLI", gemini("--yolo")],
  ])("is refused for %s, without a command", async (tool, lines) => {
    await expect(resumed("chats/some.jsonl", lines)).rejects.toMatchObject({
      code: "NOT_SUPPORTED",
      message: expect.stringMatching(
        new RegExp(`^${tool} would take the id of this conversation, "--.*", for an option`),
      ),
    });
  });

  it("may have hyphens elsewhere", async () => {
    const { command } = await resumed("chats/some.jsonl", gemini("a--yolo"));
    expect(command).toEqual(["gemini", "--resume", "a--yolo"]);
  });
});
