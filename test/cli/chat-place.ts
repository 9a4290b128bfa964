/** A state folder whose model is a server on this machine. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type ModelServer, modelServer, type Script } from "../support/models/model-server.ts";
import { TerminalProcess } from "../support/processes/terminal-process.ts";
import { BIN, Place } from "./run-command.ts";

export class ChatPlace extends Place implements AsyncDisposable {
  readonly server: ModelServer;

  private constructor(server: ModelServer) {
    super();
    this.server = server;
  }

  static async open(script: Script, config: object = {}): Promise<ChatPlace> {
    const place = new ChatPlace(await modelServer(script));
    const models = [{ id: "small" }, { id: "large" }];
    const local = { baseUrl: place.server.baseUrls.openai, api: "openai-completions", models };
    mkdirSync(place.state, { recursive: true, mode: 0o700 });
    writeFileSync(
      join(place.state, "colloquy.json"),
      JSON.stringify({ models: { default: "local/small", providers: { local } }, ...config }),
      { mode: 0o600 },
    );
    return place;
  }

  /** `colloquy chat` on a terminal. */
  chat(
    args: readonly string[] = [],
    options: { env?: Record<string, string>; columns?: number } = {},
  ): TerminalProcess {
    const env = { COLLOQUY_STATE_DIR: this.state, ...options.env };
    return new TerminalProcess([process.execPath, BIN, "chat", ...args], { ...options, env });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server.close();
    this[Symbol.dispose]();
  }
}
