/** Codex: a thread that goes back, forks of it, a fork of a fork, an archived one, a compaction, and a picture. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Json, JsonObject } from "../../../src/util/json.ts";
import { objectIn, parsedIn, textIn } from "../../../src/util/values.ts";
import { run } from "./command.ts";

export const CODEX_CONFIG = `model = "gpt-5.2-codex"
model_provider = "local"
approval_policy = "never"
sandbox_mode = "danger-full-access"
[model_providers.local]
name = "local"
base_url = "http://127.0.0.1:8901/v1"
wire_api = "responses"
`;

export const PICTURE =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

export async function drive(programs: string): Promise<void> {
  mkdirSync("/home/user/.codex", { recursive: true });
  writeFileSync("/home/user/.codex/config.toml", CODEX_CONFIG);
  writeFileSync("picture.png", Buffer.from(PICTURE, "base64"));
  const program = join(programs, "codex");
  const server = await AppServer.start(program);
  await drivesThreads(server);
  server.end();
  run(program, ["exec", "--skip-git-repo-check", "-i", "picture.png", "--", "A picture @say Seen."]);
}

async function drivesThreads(server: AppServer): Promise<void> {
  const thread = await server.thread("thread/start", { cwd: process.cwd() });
  const command = '@tool exec_command {"cmd":"echo one"}';
  const first = await server.turn(
    thread,
    `First turn @think Where am I? @say Looking. ${command} @next @say One line.`,
  );
  const second = await server.turn(thread, "Second turn, reverted @say Second answer, reverted.");
  await server.turn(thread, "Third turn, reverted @say Third answer, reverted.");
  await server.call("thread/revert", { threadId: thread, beforeTurnId: second });
  await server.turn(thread, "Second turn again @say Second answer again.");
  await server.call("thread/name/set", { threadId: thread, name: "A named thread" });
  const fork = await server.thread("thread/fork", { threadId: thread });
  await server.turn(fork, "In the fork @say Forked.");
  const forkOfFork = await server.thread("thread/fork", { threadId: fork });
  await server.turn(forkOfFork, "In the fork of the fork @say Forked twice.");
  const early = await server.thread("thread/fork", { threadId: thread, lastTurnId: first });
  await server.turn(early, "In an early fork @say Forked early.");
  await server.turn(thread, "The thread goes on @say And on.");
  await server.call("thread/archive", { threadId: fork });
  const compacted = server.until("turn/completed");
  await server.call("thread/compact/start", { threadId: thread });
  await compacted;
  await server.turn(thread, "After the compaction @say Still here.");
}

/** Codex as a server of JSON-RPC on its standard input and output. */
export class AppServer {
  readonly #process: ChildProcess;
  readonly #waiting: Map<unknown, (message: JsonObject) => void> = new Map();
  #calls = 0;

  static async start(program: string): Promise<AppServer> {
    const server = new AppServer(program);
    await server.call("initialize", {
      clientInfo: { name: "probe", version: "0" },
      capabilities: { experimentalApi: true },
    });
    server.send({ method: "initialized" });
    return server;
  }

  private constructor(program: string) {
    this.#process = spawn(program, ["app-server"], { stdio: ["pipe", "pipe", "ignore"] });
    const lines = createInterface({ input: this.#process.stdout as NodeJS.ReadableStream });
    lines.on("line", (line) => {
      const message = objectIn(parsedIn(line)) ?? {};
      this.#waiting.get(message.id ?? message.method)?.(message);
    });
  }

  send(message: JsonObject): void {
    this.#process.stdin?.write(`${JSON.stringify(message)}\n`);
  }

  /** Resolves with the answer to a call, or with the next notice of a method. */
  until(wanted: unknown): Promise<JsonObject> {
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => reject(new Error(`no answer: ${wanted}`)), 30_000);
      this.#waiting.set(wanted, (message) => {
        clearTimeout(late);
        this.#waiting.delete(wanted);
        resolve(message);
      });
    });
  }

  async call(method: string, params: JsonObject): Promise<JsonObject> {
    const id = ++this.#calls;
    const answered = this.until(id);
    this.send({ id, method, params });
    const { result, error } = await answered;
    if (error !== undefined) throw new Error(`${method}: ${JSON.stringify(error)}`);
    return objectIn(result) ?? {};
  }

  async thread(method: string, params: JsonObject): Promise<string> {
    const { thread } = await this.call(method, params);
    return textIn(objectIn(thread)?.id) ?? "";
  }

  async turn(threadId: string, said: string | Json[]): Promise<string> {
    const completed = this.until("turn/completed");
    const input = typeof said === "string" ? [{ type: "text", text: said }] : said;
    const { turn } = await this.call("turn/start", { threadId, input });
    await completed;
    return textIn(objectIn(turn)?.id) ?? "";
  }

  end(): void {
    this.#process.stdin?.end();
  }
}
