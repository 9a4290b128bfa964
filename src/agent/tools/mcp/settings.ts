/** The servers in the section `mcp` of a config. */

import { invalid } from "../../../errors.ts";
import { checkObject } from "../../../util/checked-arguments.ts";
import { defined, type Json, type JsonObject } from "../../../util/json.ts";
import { filledIn, listIn, numberIn, objectIn } from "../../../util/values.ts";

interface CommonSettings {
  /** The first part of the names of its tools. */
  readonly name: string;
  /** The time limit of a call. Default: 60 s. */
  readonly callTimeoutMs?: number;
  /** How long it may take to start and to list its tools. Default: 30 s. */
  readonly startTimeoutMs?: number;
}

export interface ProcessSettings extends CommonSettings {
  readonly command: string;
  readonly args?: readonly string[];
  /** Its environment variables. It gets no others, except those that every program needs, such as PATH. */
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

export interface HttpSettings extends CommonSettings {
  readonly url: string;
  /** Sent with every request, and to this server only. */
  readonly headers?: Readonly<Record<string, string>>;
}

export type McpServerSettings = ProcessSettings | HttpSettings;

const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,31}$/;

/** The servers that are enabled. A wrong one is a `VALIDATION_ERROR`, or is passed to `onProblem` and left out. */
export function mcpServersIn(config: JsonObject, onProblem?: (text: string) => void): McpServerSettings[] {
  checkObject(config, "config");
  const servers = objectIn(objectIn(config.mcp)?.servers) ?? {};
  return Object.entries(servers).flatMap(([name, value]) => {
    const server = objectIn(value) ?? {};
    if (server.enabled === false) return [];
    try {
      return [checkServer({ ...settingsIn(server), name })];
    } catch (error) {
      if (onProblem === undefined) throw error;
      onProblem((error as Error).message);
      return [];
    }
  });
}

function settingsIn(server: JsonObject): Omit<ProcessSettings, "name"> & Omit<HttpSettings, "name"> {
  const seconds = numberIn(server.timeoutSeconds);
  return {
    command: filledIn(server.command) ?? "",
    url: filledIn(server.url) ?? "",
    ...defined({
      args: listIn(server.args).filter((arg) => typeof arg === "string"),
      env: strings(server.env),
      headers: strings(server.headers),
      cwd: filledIn(server.cwd),
      callTimeoutMs: seconds === undefined ? undefined : seconds * 1000,
    }),
  };
}

function strings(value: Json | undefined): Record<string, string> {
  const entries = Object.entries(objectIn(value) ?? {});
  return Object.fromEntries(
    entries.filter((entry): entry is [string, string] => typeof entry[1] === "string"),
  );
}

/** A server is either a program or a URL, and its name is part of the names of tools. */
function checkServer(server: ProcessSettings & HttpSettings): McpServerSettings {
  const field = `mcp.servers.${server.name}`;
  if (!NAME.test(server.name)) {
    throw invalid(`The name of an MCP server must be up to 32 letters, digits, - and _: ${field}`, field);
  }
  const { command, url, args, env, cwd, headers, ...common } = server;
  if ((command === "") === (url === "")) throw invalid(`${field} must have a command or a url`, field);
  if (url !== "") return { ...common, url, ...defined({ headers }) };
  return { ...common, command, ...defined({ args, env, cwd }) };
}

/** Values that are never shown. Shorter ones cannot be told from words. */
export function secretsOf(server: McpServerSettings): string[] {
  const values = Object.values("command" in server ? (server.env ?? {}) : (server.headers ?? {}));
  // A header such as "Bearer …" also holds its secret alone.
  const parts = values.flatMap((value) => [value, ...value.split(/\s+/)]);
  return [...new Set(parts)].filter((value) => value.length >= SECRET_CHARS_MIN);
}

const SECRET_CHARS_MIN = 8;
