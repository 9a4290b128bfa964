/**
 * All commands and options. Parsing, help and a test of the reference page read
 * this one table.
 */

import type { CommandSpec, OptionSpec } from "./command.ts";
import { AUTH_COMMANDS } from "./commands/auth/table.ts";
import { BRANCH_COMMANDS } from "./commands/branches/table.ts";
import { CHANNEL_COMMANDS } from "./commands/channels/table.ts";
import { CHAT_COMMANDS } from "./commands/chat/table.ts";
import { CONFIG_COMMANDS } from "./commands/config/table.ts";
import { FORMAT_COMMANDS } from "./commands/formats/table.ts";
import { GATEWAY_COMMANDS } from "./commands/gateway/table.ts";
import { MAINTENANCE_COMMANDS } from "./commands/maintenance/table.ts";
import { MEMORY_COMMANDS } from "./commands/memory/table.ts";
import { MODELS_COMMANDS } from "./commands/models/table.ts";
import { SEARCH_COMMANDS } from "./commands/search/table.ts";
import { SESSION_COMMANDS } from "./commands/sessions/table.ts";
import { START_COMMANDS } from "./commands/start/table.ts";
import { TOKEN_COMMANDS } from "./commands/token/table.ts";

export const GLOBAL_OPTIONS: Readonly<Record<string, OptionSpec>> = {
  json: { help: "Print JSON, also for errors" },
  store: { value: "TARGET", help: "sqlite:FILE or jsonl:FOLDER (or COLLOQUY_STORE)" },
  "state-dir": { value: "DIR", help: "State folder, default ~/.colloquy (or COLLOQUY_STATE_DIR)" },
  set: { value: "PATH=VALUE", help: "Override a setting of the config; may be repeated", multiple: true },
  profile: { value: "NAME", help: "Use the state folder ~/.colloquy-NAME" },
  color: { value: "WHEN", help: "auto (default), always or never" },
  help: { short: "h", help: "Show help for the command" },
};

/** In the order of the overview. */
export const COMMANDS: readonly CommandSpec[] = [
  ...START_COMMANDS,
  ...GATEWAY_COMMANDS,
  ...CHAT_COMMANDS,
  ...CHANNEL_COMMANDS,
  ...SEARCH_COMMANDS,
  ...SESSION_COMMANDS,
  ...BRANCH_COMMANDS,
  ...FORMAT_COMMANDS,
  ...MEMORY_COMMANDS,
  ...MAINTENANCE_COMMANDS,
  ...CONFIG_COMMANDS,
  ...AUTH_COMMANDS,
  ...MODELS_COMMANDS,
  ...TOKEN_COMMANDS,
];
