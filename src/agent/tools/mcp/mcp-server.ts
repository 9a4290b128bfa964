/** One server: connected when its tools are first needed, and again after it ended. */
import { asColloquyError, ColloquyError, unavailable } from "../../../errors.ts";
import { redactSecrets } from "../../../secrets/redact-secrets.ts";
import { assertJson, isJsonObject, type JsonObject } from "../../../util/json.ts";
import { safeLine } from "../../../util/visible-text.ts";
import { untilAborted } from "../../loop/until-aborted.ts";
import type { Tool, ToolOutput } from "../tool.ts";
import type { Connection, ListedTool } from "./connect.ts";
import { outputOf, outputText } from "./output.ts";
import { type McpServerSettings, secretsOf } from "./settings.ts";
import { mcpToolName } from "./tool-names.ts";

const CALL_TIMEOUT_MS = 60_000;
const START_TIMEOUT_MS = 30_000;
/** A server that fails to start is not tried again at every call. */
const RETRY_MS = 10_000;
const TOOLS_MAX = 256;
const SCHEMA_CHARS_MAX = 64_000;
const DESCRIPTION_CHARS_MAX = 4000;
const REASON_CHARS_MAX = 500;
/** So that the limit of a call, which has a better message, comes before that of the loop. */
const MARGIN_MS = 1000;

export interface ServerOptions {
  /** Names that its tools cannot have. They are added to it. */
  readonly taken: Set<string>;
  readonly onNotice: (text: string) => void;
  readonly nowMs: () => number;
}

export class McpServer {
  readonly #settings: McpServerSettings;
  readonly #options: ServerOptions;
  readonly #secrets: readonly string[];
  /** The names of its tools, by their names on the server. They stay the same as long as the server is open. */
  readonly #names = new Map<string, string>();
  #connection: Promise<Connection> | undefined;
  #tools: readonly Tool[] = [];
  #failure: { readonly reason: string; readonly atMs: number } | undefined;
  #isClosed = false;

  constructor(settings: McpServerSettings, options: ServerOptions) {
    this.#settings = settings;
    this.#options = options;
    this.#secrets = secretsOf(settings);
  }

  /** Its tools, as far as it can be reached. Never throws. */
  async tools(): Promise<readonly Tool[]> {
    await this.#connected().catch(() => {});
    return this.#tools;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const connection = await this.#connection?.catch(() => undefined);
    await connection?.close();
  }

  #connected(): Promise<Connection> {
    if (this.#isClosed) return Promise.reject(unavailable(`The MCP server ${this.#settings.name} is closed`));
    const failure = this.#failure;
    if (failure !== undefined && this.#options.nowMs() - failure.atMs < RETRY_MS) {
      return Promise.reject(this.#failed(failure.reason));
    }
    this.#connection ??= this.#connect();
    return this.#connection;
  }

  async #connect(): Promise<Connection> {
    const { startTimeoutMs: timeoutMs = START_TIMEOUT_MS } = this.#settings;
    const { connect } = await import("./connect.ts");
    let connection: Connection | undefined;
    let isReady = false;
    try {
      const events = {
        onToolsChanged: () => void this.#refresh(),
        onClosed: () => {
          if (isReady) this.#closed(connection?.end());
        },
      };
      connection = await connect(this.#settings, { timeoutMs }, events);
      this.#tools = this.#toolsOf(await connection.listTools({ timeoutMs }));
      this.#failure = undefined;
      isReady = true;
      return connection;
    } catch (error) {
      await connection?.close();
      throw this.#fail(connection?.end() ?? asColloquyError(error, "It failed").message);
    }
  }

  /** The list may change while the server runs. One that cannot be read leaves the tools as they were. */
  async #refresh(): Promise<void> {
    try {
      const connection = await this.#connection;
      const tools = await connection?.listTools({ timeoutMs: START_TIMEOUT_MS });
      if (tools !== undefined) this.#tools = this.#toolsOf(tools);
    } catch (error) {
      this.#options.onNotice(
        this.#failed(asColloquyError(error, "Its tools cannot be listed").message).message,
      );
    }
  }

  /** The next call connects again. */
  #closed(reason: string | undefined): void {
    if (this.#connection === undefined) return;
    this.#connection = undefined;
    if (!this.#isClosed) this.#options.onNotice(this.#failed(reason ?? "The connection was closed").message);
  }

  #fail(reason: string): ColloquyError {
    this.#connection = undefined;
    this.#failure = { reason, atMs: this.#options.nowMs() };
    const error = this.#failed(reason);
    this.#options.onNotice(error.message);
    return error;
  }

  /** Servers repeat in errors what they were given, such as a key. */
  #failed(reason: string): ColloquyError {
    const { text } = redactSecrets(safeLine(reason), this.#secrets);
    const shown = text.slice(0, REASON_CHARS_MAX);
    return unavailable(`The MCP server ${this.#settings.name} failed: ${shown}`);
  }

  #toolsOf(listed: readonly ListedTool[]): Tool[] {
    this.#releaseNames(listed);
    const tools = listed.slice(0, TOOLS_MAX).flatMap((tool) => this.#toolOf(tool));
    const skipped = listed.length - tools.length;
    if (skipped > 0)
      this.#options.onNotice(
        `The MCP server ${this.#settings.name} has ${skipped} tools that cannot be used`,
      );
    return tools;
  }

  /** None if its schema is too large or not that of an object. */
  #toolOf({ name, title, description, inputSchema }: ListedTool): Tool[] {
    const schema: unknown = inputSchema;
    if (!isSchema(schema) || this.#nameOf(name) === undefined) return [];
    const { callTimeoutMs = CALL_TIMEOUT_MS } = this.#settings;
    const told = (description?.trim() || title?.trim() || name)
      .slice(0, DESCRIPTION_CHARS_MAX)
      .toWellFormed();
    return [
      {
        name: this.#nameOf(name) as string,
        description: told,
        inputSchema: schema,
        timeoutMs: callTimeoutMs + MARGIN_MS,
        run: (input, { signal }) => this.#call(name, input, signal, callTimeoutMs),
      },
    ];
  }

  /** A server that renames its tools again and again must not fill the memory. */
  #releaseNames(listed: readonly ListedTool[]): void {
    const current = new Set(listed.map(({ name }) => name));
    for (const [tool, name] of this.#names) {
      if (current.has(tool)) continue;
      this.#names.delete(tool);
      this.#options.taken.delete(name);
    }
  }

  /** `undefined` for a second tool of one name. */
  #nameOf(tool: string): string | undefined {
    const known = this.#names.get(tool);
    if (known !== undefined) return known;
    const { taken } = this.#options;
    const name = mcpToolName(this.#settings.name, tool, taken);
    if (taken.has(name)) return undefined;
    taken.add(name);
    this.#names.set(tool, name);
    return name;
  }

  async #call(tool: string, input: JsonObject, signal: AbortSignal, timeoutMs: number): Promise<ToolOutput> {
    const connection = await untilAborted(this.#connected(), signal);
    const limit = { signal, timeoutMs };
    let result: JsonObject;
    try {
      result = plainOf(await connection.callTool(tool, input, limit));
    } catch (error) {
      signal.throwIfAborted();
      const { reasonOf } = await import("./connect.ts");
      throw this.#failed(connection.end() ?? reasonOf(error, limit));
    }
    const shown = this.#withoutSecrets(result);
    if (shown.isError !== true) return outputOf(shown);
    throw new ColloquyError("SERVICE_UNAVAILABLE", outputText(shown) || "The tool failed without saying why");
  }

  #withoutSecrets(result: JsonObject): JsonObject {
    const text = JSON.stringify(result);
    const known = this.#secrets.map((secret) => JSON.stringify(secret).slice(1, -1));
    if (!known.some((secret) => text.includes(secret))) return result;
    return JSON.parse(known.reduce((shown, secret) => shown.replaceAll(secret, "[redacted]"), text));
  }
}

/** As it was sent, without what the parser of the SDK may have added. */
function plainOf(answer: unknown): JsonObject {
  const plain: unknown = JSON.parse(JSON.stringify(answer));
  assertJson(plain, "result");
  return isJsonObject(plain) ? plain : {};
}

function isSchema(value: unknown): value is JsonObject {
  try {
    assertJson(value, "inputSchema");
    return isJsonObject(value) && value.type === "object" && JSON.stringify(value).length <= SCHEMA_CHARS_MAX;
  } catch {
    return false;
  }
}
