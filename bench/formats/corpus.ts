/** A folder as years of several tools leave it, of any size, for measuring imports. */
import { appendFileSync, closeSync, mkdirSync, openSync, writeSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { Words } from "./words.ts";

/** A tool's share of the corpus, and one file of it. */
interface Tool {
  readonly share: number;
  readonly fileBytes: number;
  file(words: Words, index: number): { readonly path: string; readonly lines: Iterable<string> };
}

const TOOLS: readonly Tool[] = [
  { share: 0.45, fileBytes: 4_000_000, file: claudeCode },
  { share: 0.25, fileBytes: 3_000_000, file: codex },
  { share: 0.15, fileBytes: 2_000_000, file: pi },
  { share: 0.13, fileBytes: 60_000_000, file: chatgpt },
  { share: 0.02, fileBytes: 5_000_000, file: fineTuning },
];

/** Returns the bytes that were written and the number of files. */
export function writeCorpus(folder: string, bytesWanted: number): { bytes: number; files: number } {
  const words = new Words();
  let bytes = 0;
  let files = 0;
  for (const { share, fileBytes, file } of TOOLS) {
    for (let left = bytesWanted * share; left > 0; ) {
      const { path, lines } = file(words, files++);
      const written = writeLines(join(folder, path), lines, Math.min(fileBytes, left));
      left -= written;
      bytes += written;
    }
  }
  return { bytes, files };
}

/** One long session in one file. Returns its path. */
export function writeLongFile(folder: string, bytesWanted: number, words: Words = new Words()): string {
  const { path, lines } = claudeCode(words, 0);
  writeLines(join(folder, path), lines, bytesWanted);
  return join(folder, path);
}

/** One more message of a session. */
export function appendLine(path: string, number: number): void {
  const record = {
    ...{ parentUuid: null, sessionId: basename(path, ".jsonl"), type: "user", uuid: `grown-${number}` },
    ...{ message: { role: "user", content: `one more: ${number}` }, timestamp: time(0, number) },
  };
  appendFileSync(path, `${JSON.stringify(record)}\n`);
}

/** Conversations of eight messages, a line each. */
export function writeSmall(folder: string, bytesWanted: number): void {
  const words = new Words();
  writeLines(join(folder, "small.jsonl"), smallLines(words), bytesWanted);
}

function* smallLines(words: Words): Generator<string> {
  for (;;) {
    const messages = Array.from({ length: 8 }, (_, index) => ({
      role: index % 2 === 0 ? "user" : "assistant",
      content: words.text(1000),
    }));
    yield `${JSON.stringify({ messages })}\n`;
  }
}

const WRITE_CHARS = 1 << 20;

/** Writes lines until there are enough bytes. A JSON file is an array of them, which is then closed. */
function writeLines(path: string, lines: Iterable<string>, bytesWanted: number): number {
  mkdirSync(dirname(path), { recursive: true });
  const file = openSync(path, "w", 0o600);
  let bytes = 0;
  let text = "";
  for (const line of lines) {
    text += line;
    const enough = bytes + text.length >= bytesWanted;
    if (enough && path.endsWith(".json")) text += "]";
    if (enough || text.length >= WRITE_CHARS) {
      bytes += writeSync(file, text);
      text = "";
    }
    if (enough) break;
  }
  closeSync(file);
  return bytes;
}

const START_MS = Date.UTC(2026, 0, 1);

function time(index: number, line: number): string {
  return new Date(START_MS + index * 3_600_000 + line * 1000).toISOString();
}

function claudeCode(words: Words, index: number) {
  const sessionId = words.uuid();
  return {
    path: `claude/projects/-home-me-p${index % 20}/${sessionId}.jsonl`,
    lines: claudeLines(words, index, sessionId),
  };
}

function* claudeLines(words: Words, index: number, sessionId: string): Generator<string> {
  let parentUuid: string | null = null;
  for (let line = 0; ; ) {
    const record = (type: string, message: object, more: object = {}): string => {
      const uuid = words.uuid();
      const common = { parentUuid, isSidechain: false, userType: "external", cwd: "/home/me/p", sessionId };
      parentUuid = uuid;
      const timestamp = time(index, line++);
      return `${JSON.stringify({ ...common, version: "2.1.60", gitBranch: "main", type, message, ...more, uuid, timestamp })}\n`;
    };
    yield record("user", { role: "user", content: words.text(300) });
    for (let step = words.below(6); step >= 0; step--) {
      const id = `msg_${words.hex(20)}`;
      const call = `toolu_${words.hex(20)}`;
      const usage = { input_tokens: 4, output_tokens: words.below(900), cache_read_input_tokens: 20_000 };
      const answer = { id, type: "message", role: "assistant", model: "claude-opus-4-6", usage };
      yield record("assistant", { ...answer, content: [{ type: "text", text: words.text(500) }] });
      const input = { command: words.text(60), description: words.text(30) };
      yield record("assistant", {
        ...answer,
        content: [{ type: "tool_use", id: call, name: "Bash", input }],
      });
      const stdout = words.text(words.below(20) === 0 ? 30_000 : 2500);
      const result = { tool_use_id: call, type: "tool_result", content: stdout, is_error: false };
      const toolUseResult = { stdout, stderr: "", interrupted: false, isImage: false };
      yield record("user", { role: "user", content: [result] }, { toolUseResult });
    }
    const answer = { id: `msg_${words.hex(20)}`, role: "assistant", model: "claude-opus-4-6" };
    yield record("assistant", { ...answer, content: [{ type: "text", text: words.text(1200) }] });
    yield `${JSON.stringify({ type: "last-prompt", lastPrompt: words.text(60), sessionId })}\n`;
  }
}

function codex(words: Words, index: number) {
  const id = words.uuid();
  const day = `${1 + (index % 28)}`.padStart(2, "0");
  return {
    path: `codex/sessions/2026/01/${day}/rollout-2026-01-${day}T10-00-00-${id}.jsonl`,
    lines: codexLines(words, index, id),
  };
}

function* codexLines(words: Words, index: number, id: string): Generator<string> {
  let line = 0;
  const record = (type: string, payload: object): string =>
    `${JSON.stringify({ timestamp: time(index, line++), type, payload })}\n`;
  yield record("session_meta", {
    id,
    timestamp: time(index, 0),
    cwd: "/home/me/p",
    originator: "cli",
    cli_version: "0.90.0",
  });
  for (;;) {
    const prompt = words.text(300);
    yield record("turn_context", { cwd: "/home/me/p", model: "gpt-5.4-codex", approval_policy: "never" });
    yield record("response_item", {
      type: "message",
      role: "user",
      content: [{ type: "input_text", text: prompt }],
    });
    yield record("event_msg", { type: "user_message", message: prompt });
    for (let step = words.below(6); step >= 0; step--) {
      const call = `call_${words.hex(20)}`;
      yield record("response_item", { type: "reasoning", summary: [], encrypted_content: words.hex(600) });
      const args = JSON.stringify({ command: ["bash", "-lc", words.text(60)] });
      yield record("response_item", { type: "function_call", name: "shell", arguments: args, call_id: call });
      yield record("response_item", {
        type: "function_call_output",
        call_id: call,
        output: words.text(2500),
      });
      yield record("event_msg", {
        type: "token_count",
        info: { last_token_usage: { input_tokens: 9000, cached_input_tokens: 8000, output_tokens: 120 } },
      });
    }
    const answer = words.text(1000);
    yield record("event_msg", { type: "agent_message", message: answer });
    yield record("response_item", {
      type: "message",
      role: "assistant",
      content: [{ type: "output_text", text: answer }],
    });
  }
}

function pi(words: Words, index: number) {
  const id = words.uuid();
  return { path: `pi/agent/sessions/--home-me--/2026_${id}.jsonl`, lines: piLines(words, index, id) };
}

function* piLines(words: Words, index: number, id: string): Generator<string> {
  yield `${JSON.stringify({ type: "session", version: 3, id, timestamp: time(index, 0), cwd: "/home/me" })}\n`;
  let parentId: string | null = null;
  for (let line = 1; ; ) {
    const record = (message: object): string => {
      const own = words.hex(8);
      const text = JSON.stringify({
        type: "message",
        id: own,
        parentId,
        timestamp: time(index, line++),
        message,
      });
      parentId = own;
      return `${text}\n`;
    };
    yield record({ role: "user", content: [{ type: "text", text: words.text(300) }], timestamp: START_MS });
    const call = {
      type: "toolCall",
      id: `call_${words.hex(12)}`,
      name: "read",
      arguments: { path: words.text(30) },
    };
    const usage = { input: 100, output: 200, cacheRead: 5000, cacheWrite: 0, totalTokens: 5300 };
    const answer = {
      role: "assistant",
      api: "anthropic",
      provider: "anthropic",
      model: "claude-opus-4-6",
      usage,
    };
    yield record({
      ...answer,
      content: [{ type: "text", text: words.text(400) }, call],
      stopReason: "toolUse",
    });
    yield record({
      role: "toolResult",
      toolCallId: call.id,
      toolName: "read",
      content: [{ type: "text", text: words.text(3000) }],
      isError: false,
    });
    yield record({ ...answer, content: [{ type: "text", text: words.text(900) }], stopReason: "stop" });
  }
}

function chatgpt(words: Words, index: number) {
  return { path: `chatgpt-${index}/conversations.json`, lines: chatgptElements(words, index) };
}

/** As an export of 529 MB had them: 108,404 messages in 1,201 conversations. */
const CHAT_MESSAGES = 90;

function* chatgptElements(words: Words, index: number): Generator<string> {
  yield "[";
  for (let chat = 0; ; chat++) {
    const mapping: Record<string, object> = {};
    let parent: string | null = null;
    for (let turn = 0; turn < CHAT_MESSAGES; turn++) {
      const id = words.uuid();
      const author = { role: turn % 2 === 0 ? "user" : "assistant" };
      const content = { content_type: "text", parts: [words.text(turn % 2 === 0 ? 400 : 3000)] };
      const seconds = START_MS / 1000 + index * 3600 + chat * 60 + turn;
      const message = {
        id,
        author,
        create_time: seconds,
        content,
        status: "finished_successfully",
        weight: 1,
        recipient: "all",
        metadata: { model_slug: "gpt-5" },
      };
      mapping[id] = { id, parent, children: [], message };
      parent = id;
    }
    const value = {
      id: words.uuid(),
      title: words.text(20),
      create_time: START_MS / 1000,
      mapping,
      current_node: parent,
    };
    yield `${chat === 0 ? "" : ",\n"}${JSON.stringify(value)}`;
  }
}

function fineTuning(words: Words, index: number) {
  return { path: `training/set-${index}.jsonl`, lines: fineTuningLines(words) };
}

function* fineTuningLines(words: Words): Generator<string> {
  for (;;) {
    const messages = [
      { role: "system", content: words.text(200) },
      { role: "user", content: words.text(400) },
      { role: "assistant", content: words.text(800) },
    ];
    yield `${JSON.stringify({ messages })}\n`;
  }
}
