/** The one file that loads the SDK of the Model Context Protocol. */
import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { CallToolResult, Tool as ListedTool } from "@modelcontextprotocol/sdk/types.js";
import { ColloquyError } from "../../../errors.ts";
import { bytesText } from "../../../util/bytes-text.ts";
import { guardedFetch } from "../../../util/guarded-fetch.ts";
import type { JsonObject } from "../../../util/json.ts";
import { optionalPackage } from "../../../util/optional-package.ts";
import { ProcessTransport } from "./process-transport.ts";
import type { HttpSettings, McpServerSettings } from "./settings.ts";

export type { ListedTool };

export interface Connection {
  listTools(limit: Limit): Promise<ListedTool[]>;
  callTool(name: string, input: JsonObject, limit: Limit): Promise<CallToolResult>;
  /** Why it is closed, as far as that is known. */
  end(): string | undefined;
  close(): Promise<void>;
}

export interface Limit {
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs: number;
}

export interface ConnectionEvents {
  readonly onToolsChanged: () => void;
  readonly onClosed: () => void;
}

const PAGES_MAX = 50;
const ANSWER_BYTES_MAX = 16_000_000;
const ANSWER_MS = 60_000;
/** In the error of a guarded request. */
const TOO_LONG = "answered with more than";
/** Of the stream on which a server announces changes. */
const SILENCE_MS = 3_600_000;
const STREAM_BYTES_MAX = 64_000_000;
const GOODBYE_MS = 2000;
/** Changes that follow each other faster are one. */
const CHANGES_MS = 200;

interface Sdk {
  readonly client: typeof import("@modelcontextprotocol/sdk/client/index.js");
  readonly http: typeof import("@modelcontextprotocol/sdk/client/streamableHttp.js");
  readonly types: typeof import("@modelcontextprotocol/sdk/types.js");
}

function load(): Promise<Sdk> {
  return optionalPackage("@modelcontextprotocol/sdk", "An MCP server", async () => {
    const [client, http, types] = await Promise.all([
      import("@modelcontextprotocol/sdk/client/index.js"),
      import("@modelcontextprotocol/sdk/client/streamableHttp.js"),
      import("@modelcontextprotocol/sdk/types.js"),
    ]);
    return { client, http, types };
  });
}

/** Start a server, or connect to it, and agree on a version. Nothing is left behind if that fails. */
export async function connect(
  settings: McpServerSettings,
  limit: Limit,
  events: ConnectionEvents,
): Promise<Connection> {
  const sdk = await load();
  // No capabilities: a server cannot ask for the model, for files or for the user.
  const client = new sdk.client.Client(
    { name: "colloquy", version: "1" },
    {
      listChanged: {
        tools: { autoRefresh: false, debounceMs: CHANGES_MS, onChanged: events.onToolsChanged },
      },
    },
  );
  const { transport, end, goodbye } =
    "command" in settings ? processOf(settings, sdk) : httpOf(settings, sdk);
  client.onclose = events.onClosed;
  let broken = new AbortController();
  // The errors of requests are thrown; others, such as an unknown message, have no consequence. That of an answer
  // which was too long is only told here, and its request would wait for its time limit.
  client.onerror = ({ message }) => {
    if (!message.includes(TOO_LONG)) return;
    broken.abort(new Error(`It sent more than ${bytesText(ANSWER_BYTES_MAX)} at once`));
    broken = new AbortController();
  };
  const close = async (): Promise<void> => {
    await goodbye();
    await client.close().catch(() => {});
    await transport.close().catch(() => {});
  };
  try {
    await client.connect(transport, requestOptions(limit));
  } catch (error) {
    const reason = end() ?? reasonOf(error, limit);
    await close();
    throw new ColloquyError("SERVICE_UNAVAILABLE", reason);
  }
  return {
    listTools: (given) => listTools(client, sdk, given),
    callTool: (name, input, given) => {
      const request = { method: "tools/call", params: { name, arguments: input } } as const;
      const signal = AbortSignal.any([broken.signal, ...(given.signal === undefined ? [] : [given.signal])]);
      return client.request(request, sdk.types.CallToolResultSchema, requestOptions({ ...given, signal }));
    },
    end,
    close,
  };
}

interface Opened {
  readonly transport: Transport;
  readonly end: () => string | undefined;
  readonly goodbye: () => Promise<void>;
}

function processOf(settings: Extract<McpServerSettings, { command: string }>, { types }: Sdk): Opened {
  const parse = (line: string) => types.JSONRPCMessageSchema.parse(JSON.parse(line));
  const transport = new ProcessTransport(settings, parse);
  return { transport, end: () => transport.end, goodbye: async () => {} };
}

function httpOf({ url, headers = {}, callTimeoutMs = 0 }: HttpSettings, { http }: Sdk): Opened {
  // Requests have their own limits. This one is for connections that they left behind.
  const timeoutMs = Math.max(callTimeoutMs, ANSWER_MS);
  const shared = { baseUrl: url, headers: async () => headers, timeoutMs };
  const answers = guardedFetch({ ...shared, silenceMs: timeoutMs, bytesMax: ANSWER_BYTES_MAX });
  const changes = guardedFetch({ ...shared, silenceMs: SILENCE_MS, bytesMax: STREAM_BYTES_MAX });
  const transport = new http.StreamableHTTPClientTransport(new URL(url), {
    fetch: (target, init) => (init?.method === "GET" ? changes : answers)(target, init),
  });
  const goodbye = async (): Promise<void> => {
    const late = new Promise((resolve) => setTimeout(resolve, GOODBYE_MS).unref());
    await Promise.race([transport.terminateSession().catch(() => {}), late]);
  };
  return { transport, end: () => undefined, goodbye };
}

/** All pages. A server that has no end of them is cut off. */
async function listTools(client: Client, { types }: Sdk, limit: Limit): Promise<ListedTool[]> {
  const tools: ListedTool[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < PAGES_MAX; page++) {
    const request = { method: "tools/list", params: cursor === undefined ? {} : { cursor } } as const;
    const answer = await client.request(request, types.ListToolsResultSchema, requestOptions(limit));
    tools.push(...answer.tools);
    cursor = answer.nextCursor;
    if (cursor === undefined) break;
  }
  return tools;
}

function requestOptions({ signal, timeoutMs }: Limit): { signal?: AbortSignal; timeout: number } {
  return { timeout: timeoutMs, ...(signal === undefined ? {} : { signal }) };
}

/** What went wrong, in words for people. The SDK has one code for a request that timed out and one that was aborted. */
export function reasonOf(error: unknown, { timeoutMs }: Limit): string {
  if (!(error instanceof Error)) return String(error);
  const message = error.message.replace(/^MCP error -?\d+: (?:Error: )?/, "");
  return message === "Request timed out" ? `It did not answer within ${timeoutMs / 1000} s` : message;
}
