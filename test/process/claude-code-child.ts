/**
 * A process that talks to the SDK of Claude Code as Claude Code does: `stream-json` on its standard input and output,
 * and a transcript in the folder of the project. It answers "You said …"; the first word of a prompt can be `tool`,
 * `fail`, `hang` or `die`.
 */

import { randomUUID } from "node:crypto";
import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";

const given = process.argv.map((arg) => /^--resume=(.+)$/.exec(arg)?.[1]).find((id) => id !== undefined);
const sessionId = given ?? process.argv[process.argv.indexOf("--resume") + 1] ?? "";
const project = process.cwd().replace(/[^a-zA-Z0-9]/g, "-");
const transcript = join(process.env.CLAUDE_CONFIG_DIR ?? "", "projects", project, `${sessionId}.jsonl`);
let parentUuid: string = JSON.parse(readFileSync(transcript, "utf8").trim().split("\n").at(-1) ?? "").uuid;

function say(message: object): void {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}

function write(type: "user" | "assistant", message: object): void {
  const uuid = randomUUID();
  const record = { parentUuid, isSidechain: false, type, message, uuid, timestamp: new Date().toISOString() };
  const place = { cwd: process.cwd(), sessionId, version: "2.1.325", userType: "external" };
  appendFileSync(transcript, `${JSON.stringify({ ...record, ...place })}\n`);
  parentUuid = uuid;
}

function event(event: object): void {
  say({ type: "stream_event", event, session_id: sessionId, parent_tool_use_id: null, uuid: randomUUID() });
}

function answer(content: object[]): void {
  const id = `msg_${randomUUID()}`;
  const usage = {
    input_tokens: 10,
    output_tokens: 5,
    cache_read_input_tokens: 3,
    cache_creation_input_tokens: 2,
  };
  const message = {
    id,
    type: "message",
    role: "assistant",
    model: "claude-opus-5-5",
    content,
    stop_reason: null,
    usage,
  };
  write("assistant", message);
  say({ type: "assistant", message, session_id: sessionId, parent_tool_use_id: null, uuid: randomUUID() });
}

function finish(result: string, isError: boolean): void {
  const usage = {
    input_tokens: 10,
    output_tokens: 5,
    cache_read_input_tokens: 3,
    cache_creation_input_tokens: 2,
  };
  const head = { type: "result", session_id: sessionId, uuid: randomUUID(), is_error: isError, num_turns: 1 };
  const rest = {
    duration_ms: 1,
    duration_api_ms: 1,
    total_cost_usd: 0,
    usage,
    modelUsage: {},
    permission_denials: [],
  };
  const said = isError
    ? { subtype: "error_during_execution", errors: [result] }
    : { subtype: "success", result };
  say({ ...head, ...rest, ...said, stop_reason: null });
}

function respond(prompt: string): void {
  write("user", { role: "user", content: prompt });
  say({
    type: "system",
    subtype: "init",
    session_id: sessionId,
    cwd: process.cwd(),
    tools: [],
    uuid: randomUUID(),
  });
  if (prompt.startsWith("fail")) {
    finish("Credit balance is too low", true);
    return;
  }
  const text = `You said ${prompt}`;
  event({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } });
  if (prompt.startsWith("die")) process.exit(3);
  if (prompt.startsWith("hang")) {
    answer([{ type: "text", text }]);
    return;
  }
  if (prompt.startsWith("tool")) {
    answer([{ type: "tool_use", id: "toolu_1", name: "Bash", input: { command: "ls" } }]);
    write("user", {
      role: "user",
      content: [{ type: "tool_result", tool_use_id: "toolu_1", content: "a file" }],
    });
  }
  answer([{ type: "text", text }]);
  finish(text, false);
}

for await (const line of createInterface({ input: process.stdin })) {
  const { type, request_id, message } = JSON.parse(line);
  if (type === "control_request") {
    say({ type: "control_response", response: { subtype: "success", request_id, response: {} } });
  }
  if (type === "user") {
    const { content } = message;
    respond(typeof content === "string" ? content : content[0].text);
  }
}
