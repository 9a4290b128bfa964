import type { Tool } from "../tool.ts";
import { McpServer } from "./mcp-server.ts";
import type { McpServerSettings } from "./settings.ts";

export interface McpOptions {
  /** Names of other tools, which those of servers cannot have. */
  readonly taken?: Iterable<string> | undefined;
  /** A sentence for the user: a server failed, or has tools that cannot be used. */
  readonly onNotice?: ((text: string) => void) | undefined;
}

/**
 * The tools of MCP servers.
 *
 * Contract: a server that fails costs its own tools and a notice, nothing else. Its next call connects again. Nothing
 * that was started is left behind after `close`, or when this process exits.
 */
export class McpTools implements AsyncDisposable {
  readonly #servers: readonly McpServer[];

  constructor(servers: readonly McpServerSettings[], options: McpOptions = {}) {
    const { taken = [], onNotice = () => {} } = options;
    const shared = { taken: new Set(taken), onNotice, nowMs: () => performance.now() };
    this.#servers = servers.map((server) => new McpServer(server, shared));
  }

  /** The tools as they are now. The first call starts the servers and waits for them, up to their time limit. */
  async tools(): Promise<Tool[]> {
    return (await Promise.all(this.#servers.map((server) => server.tools()))).flat();
  }

  async close(): Promise<void> {
    await Promise.all(this.#servers.map((server) => server.close()));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
