import { ColloquyError, invalid } from "../../errors.ts";
import {
  type ConfigOptions,
  formatPath,
  parsePath,
  setConfig,
  unsetConfig,
} from "../../state/config/index.ts";
import { listSettings, type Setting } from "../../state/config/list-settings.ts";
import { valueOfText } from "../../state/config/value-text.ts";
import type { Json } from "../../util/json.ts";
import { needsRestart } from "../config/needs-restart.ts";
import type { GatewayContext } from "../context.ts";
import type { SettingView } from "../wire/rest.ts";
import { defineRoute, type Route } from "./route.ts";
import { listOf, objectOf } from "./schemas.ts";

const PATH = "/api/v1/settings";
const TEXT_MAX = 64 * 1024;
const TEXT_OR_NULL = { type: ["string", "null"] } as const;

/**
 * What can be changed over the network, with everything below it. What runs programs, moves keys to other addresses or
 * decides who may sign in is left to those who can write the file: a stolen session must not become a shell.
 */
const EDITABLE: readonly string[] = [
  "agents.defaults.model",
  "agents.defaults.thinking",
  "agents.defaults.system",
  "agents.defaults.subagents",
  "models.default",
  "search",
  "session.defaultCountry",
  "session.idleMinutes",
  "sessions",
  "streaming",
];

const SETTING = objectOf({
  path: { type: "string" },
  value: {},
  source: { type: "string" },
  file: TEXT_OR_NULL,
  line: { type: ["integer", "null"] },
  help: TEXT_OR_NULL,
  kind: TEXT_OR_NULL,
  secret: { type: "boolean" },
  editable: { type: "boolean" },
  needsRestart: { type: "boolean" },
});

const CHANGE = objectOf({
  path: { type: "string" },
  file: { type: "string" },
  changed: { type: "boolean" },
  needsRestart: { type: "boolean" },
});

export const SETTING_ROUTES: readonly Route[] = [
  defineRoute({
    method: "GET",
    path: PATH,
    permission: "admin",
    summary: "Every setting, where its value comes from, and what it does; secrets are masked",
    answer: listOf(SETTING),
    handle: async (_, gateway) => {
      const settings = await listSettings(configOptions(gateway));
      return { json: { items: settings.map(viewOf), cursor: null } };
    },
  }),
  defineRoute({
    method: "PUT",
    path: `${PATH}/{path}`,
    permission: "admin",
    summary: "Change a setting in the config file: JSON5, or a bare string where the setting is a string",
    body: {
      type: "object",
      properties: { text: { type: "string", maxLength: TEXT_MAX } },
      required: ["text"],
    },
    answer: CHANGE,
    handle: async ({ params, body: { text } }, gateway) => {
      const path = editablePath(params.path);
      const { file, changed } = await setConfig(
        { ...configOptions(gateway), version: gateway.version },
        path,
        plainValue(valueOfText(text, path)),
      );
      return { json: changeOf(path, file, changed) };
    },
  }),
  defineRoute({
    method: "DELETE",
    path: `${PATH}/{path}`,
    permission: "admin",
    summary: "Remove a setting from the config file, so that its default applies",
    answer: CHANGE,
    handle: async ({ params }, gateway) => {
      const path = editablePath(params.path);
      const options = { ...configOptions(gateway), version: gateway.version };
      const { file, changed } = await unsetConfig(options, path);
      return { json: changeOf(path, file, changed) };
    },
  }),
];

function changeOf(parts: readonly string[], file: string, changed: boolean) {
  const path = formatPath(parts);
  return { path, file, changed, needsRestart: needsRestart(path) };
}

function viewOf({ path, value, source, description, kind, secret }: Setting): SettingView {
  const { origin = "default", file = null, line = null } = source ?? {};
  const editable = isEditable(path) && (source === null || origin === "file" || origin === "default");
  return {
    path,
    value,
    source: origin,
    file,
    line,
    help: description,
    kind,
    secret,
    editable,
    needsRestart: needsRestart(path),
  };
}

function isEditable(path: string): boolean {
  return EDITABLE.some((known) => path === known || path.startsWith(`${known}.`));
}

/** Variables and included files are read with the rights of the gateway, and could be keys. */
function plainValue(value: Json): Json {
  if (!/\$\{|"\$include"/.test(JSON.stringify(value))) return value;
  throw invalid("Variables and included files can only be named in the config file itself", "text");
}

function editablePath(text: string = ""): readonly string[] {
  const path = parsePath(text);
  if (isEditable(formatPath(path))) return path;
  throw new ColloquyError(
    "FORBIDDEN",
    `${text} can only be changed in the config file, or with colloquy config set`,
    {
      field: "path",
    },
  );
}

function configOptions({ agents }: GatewayContext): ConfigOptions {
  const { stateDir, env } = agents.installation;
  return { stateDir, env, cacheTtlMs: 0 };
}
