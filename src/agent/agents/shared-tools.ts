import { stateLayout } from "../../state/folder.ts";
import { checkObject, checkString } from "../../util/checked-arguments.ts";
import type { JsonObject } from "../../util/json.ts";
import { type Extensions, loadExtensions } from "../extensions/load-extensions.ts";
import { BUILT_IN_NAMES } from "../tools/built-in/built-in-tools.ts";
import { McpTools } from "../tools/mcp/mcp-tools.ts";
import { mcpServersIn } from "../tools/mcp/settings.ts";

export interface SharedToolsOptions {
  readonly config: JsonObject;
  readonly stateDir: string;
  /** A sentence for the user: a server or an extension cannot be used. */
  readonly onNotice?: ((text: string) => void) | undefined;
}

/** The extensions and MCP servers of a process, which all its agents share. */
export class SharedTools implements AsyncDisposable {
  readonly #options: SharedToolsOptions;
  #extensions: Promise<Extensions> | undefined;
  #mcp: Promise<McpTools> | undefined;

  constructor(options: SharedToolsOptions) {
    checkObject(options, "options");
    checkObject(options.config, "config");
    checkString(options.stateDir, "stateDir");
    this.#options = options;
  }

  /** Loaded when they are first asked for. */
  extensions(): Promise<Extensions> {
    const { config, stateDir, onNotice } = this.#options;
    const folder = stateLayout(stateDir).extensions;
    this.#extensions ??= loadExtensions({ config, folder, taken: BUILT_IN_NAMES, onNotice });
    return this.#extensions;
  }

  /** Each server starts when its tools are first asked for. */
  mcp(): Promise<McpTools> {
    const { config, onNotice } = this.#options;
    this.#mcp ??= this.extensions().then(({ tools }) => {
      const taken = [...BUILT_IN_NAMES, ...tools.map(({ name }) => name)];
      return new McpTools(mcpServersIn(config, onNotice), { taken, onNotice });
    });
    return this.#mcp;
  }

  async close(): Promise<void> {
    const [extensions, mcp] = await Promise.all([this.#extensions, this.#mcp]);
    await Promise.all([extensions?.close(), mcp?.close()]);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
