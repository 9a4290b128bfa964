/** The real SDK with a process that speaks for Claude Code, which takes 350 MB. */
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";
import { type ResumeSessionOptions, resumeSession, type SessionEvent } from "../../src/agent/index.ts";
import { openStore, type Store } from "../../src/index.ts";
import { textOf } from "../../src/message/index.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { until } from "../support/until.ts";

const SESSION = "0b6b0d0e-93f4-4c8e-8d43-5f1d4c1f9a11";

interface Place {
  readonly project: string;
  readonly transcript: string;
  readonly options: Omit<ResumeSessionOptions, "store">;
}

/** A session with one question and one answer. */
function session(): Place {
  const home = tempFolder();
  const project = join(home, "project");
  mkdirSync(project);
  const folder = join(home, ".claude", "projects", project.replace(/[^a-zA-Z0-9]/g, "-"));
  mkdirSync(folder, { recursive: true });
  const record = (type: string, uuid: string, parentUuid: string | null, content: string): string => {
    const message = {
      role: type,
      content,
      ...(type === "assistant" ? { id: "msg_0", model: "claude-opus-5-5" } : {}),
    };
    const place = {
      cwd: project,
      sessionId: SESSION,
      version: "2.1.325",
      timestamp: "2026-11-16T09:00:00.000Z",
    };
    return `${JSON.stringify({ type, uuid, parentUuid, isSidechain: false, message, ...place })}\n`;
  };
  const [first, second] = ["8f0c5d0a-0000-4000-8000-000000000001", "8f0c5d0a-0000-4000-8000-000000000002"];
  const transcript = join(folder, `${SESSION}.jsonl`);
  writeFileSync(transcript, record("user", first, null, "Hello") + record("assistant", second, first, "Hi"));
  const executable = join(home, "claude");
  writeFileSync(
    executable,
    `#!/bin/sh\nexec "${process.execPath}" "${resolve("test/process/claude-code-child.ts")}" "$@"\n`,
  );
  chmodSync(executable, 0o755);
  const env = { PATH: process.env.PATH, HOME: home, CLAUDE_CONFIG_DIR: join(home, ".claude") };
  return { project, transcript, options: { executable, env } };
}

async function said(store: Store, id: string): Promise<string[]> {
  const { items } = (await (await store.get(id))?.messages()) ?? { items: [] };
  return items.map(({ message }) => `${message.role}: ${textOf(message, { toolResults: true })}`);
}

it("a session continues where it was, and its transcript is in the store", async () => {
  await using store = await openStore("ephemeral:");
  const { options } = session();
  const events: SessionEvent[] = [];
  const onEvent = (event: SessionEvent): void => void events.push(event);
  const { reply, usage, conversation, key } = await resumeSession(SESSION, "tool time", {
    store,
    onEvent,
    ...options,
  });
  expect(reply).toBe("You said tool time");
  expect(usage).toEqual({ inputTokens: 10, outputTokens: 5, cacheReadTokens: 3, cacheWriteTokens: 2 });
  expect(key).toBe(`claude-code:${SESSION}`);
  const messages = ["user: Hello", "assistant: Hi", "user: tool time", "assistant: ", "user: a file"];
  expect(await said(store, conversation)).toEqual([...messages, "assistant: You said tool time"]);
  expect(events).toContainEqual({ type: "text", text: "You said tool time" });
  expect(events).toContainEqual({ type: "tool", id: "toolu_1", name: "Bash" });
  const mirrored = events.reduce((sum, event) => sum + (event.type === "mirrored" ? event.messages : 0), 0);
  expect(mirrored).toBe(6);
  const again = await resumeSession(SESSION, "more", { store, ...options });
  expect(again.conversation).toBe(conversation);
  expect((await said(store, conversation)).slice(-2)).toEqual(["user: more", "assistant: You said more"]);
});

it.each([
  ["fail now", "SERVICE_UNAVAILABLE", /Credit balance/],
  ["die now", "SERVICE_UNAVAILABLE", /did not answer/],
])("a prompt that goes wrong (%s) is kept, and the error says why", async (prompt, code, message) => {
  await using store = await openStore("ephemeral:");
  const { options } = session();
  await expect(resumeSession(SESSION, prompt, { store, ...options })).rejects.toMatchObject({
    code,
    message,
  });
  expect(await said(store, `claude-code:${SESSION}`)).toEqual([
    "user: Hello",
    "assistant: Hi",
    `user: ${prompt}`,
  ]);
});

it("a transcript is mirrored while it grows, and a prompt that is stopped ends the process", async () => {
  await using store = await openStore("ephemeral:");
  const { options } = session();
  const stop = new AbortController();
  const reason = new Error("enough");
  let mirrored = 0;
  const onEvent = (event: SessionEvent): void => {
    if (event.type === "mirrored") mirrored += event.messages;
  };
  const running = resumeSession(SESSION, "hang on", { store, ...options, onEvent, signal: stop.signal });
  const settled = expect(running).rejects.toBe(reason);
  await until(() => mirrored >= 3);
  expect((await said(store, `claude-code:${SESSION}`)).slice(0, 3)).toEqual([
    "user: Hello",
    "assistant: Hi",
    "user: hang on",
  ]);
  stop.abort(reason);
  await settled;
  expect((await said(store, `claude-code:${SESSION}`)).at(-1)).toBe("assistant: You said hang on");
});

it("a session that cannot be resumed is refused, and nothing is started", async () => {
  await using store = await openStore("ephemeral:");
  const { options, project, transcript } = session();
  const other = "00000000-0000-4000-8000-000000000000";
  const resume = (id: string, prompt: string): Promise<unknown> =>
    resumeSession(id, prompt, { store, ...options });
  await expect(resume(other, "Hi")).rejects.toMatchObject({ code: "NOT_FOUND" });
  await expect(resume("../../etc/passwd", "Hi")).rejects.toMatchObject({
    code: "VALIDATION_ERROR",
    field: "sessionId",
  });
  await expect(resume(SESSION, " ")).rejects.toMatchObject({ code: "VALIDATION_ERROR", field: "prompt" });
  writeFileSync(transcript, readFileSync(transcript, "utf8").replaceAll(project, join(project, "gone")));
  await expect(resume(SESSION, "Hi")).rejects.toMatchObject({ code: "VALIDATION_ERROR", field: "cwd" });
});
