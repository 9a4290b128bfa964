/** Sections of OpenClaw that are known and kept. Nothing in this version uses them. */
import {
  anything,
  choice,
  either,
  type Field,
  flag,
  KEPT,
  list,
  number,
  object,
  path,
  secret,
  text,
  whole,
} from "./field.ts";

const kept = (description: string, members: Readonly<Record<string, Field>> = {}): Field =>
  object(description, members, KEPT);
const enabled = flag("Whether it is enabled");
const names = (description: string): Field => list(description, text("A name"));

export const wizard: Field = kept("The last run of the setup", {
  lastRunAt: either("When it ran", number("Milliseconds since 1970"), text("ISO 8601")),
  lastRunVersion: text("The version that ran"),
});

export const skills: Field = kept("Skills of agents", {
  allowBundled: names("Built-in skills that are allowed"),
  load: kept("Where to look for skills", { extraDirs: list("Additional folders", path("A folder")) }),
  entries: object("Skills by name", {}, kept("A skill", { enabled, apiKey: secret("Its API key") })),
});

export const plugins: Field = kept("Extensions", {
  enabled,
  allow: names("Extensions that are allowed"),
  deny: names("Extensions that are denied"),
  entries: object(
    "Extensions by name",
    {},
    kept("An extension", { enabled, dbPath: path("Where it stores its data") }),
  ),
});

export const agents: Field = kept("Agents", {
  defaults: kept("Defaults for all agents", { workspace: path("The folder they work in") }),
  list: list(
    "The agents",
    kept("An agent", {
      id: text("Its id"),
      name: text("Its name"),
      workspace: path("The folder it works in"),
    }),
  ),
});

export const tools: Field = kept("Tools of agents", {
  profile: text("A named set of tools"),
  allow: names("Tools that are allowed"),
  deny: names("Tools that are denied"),
  exec: kept("Running commands", {
    security: text("Which commands are allowed"),
    host: text("Where commands run"),
    timeoutSec: whole("The time limit of a command, in seconds", 1, 86_400),
  }),
  fs: kept("Files", { workspaceOnly: flag("Restrict access to the workspace") }),
});

export const bindings: Field = list(
  "Which agent answers in which place",
  kept("A binding", { agentId: text("The agent") }),
);
export const messages: Field = kept("How messages are received and answered");
export const commands: Field = kept("Commands in chats");
export const approvals: Field = kept("Actions that need the user's approval");
const account: Field = kept("An account", {
  enabled,
  token: secret("The token; prefer a variable"),
  botToken: secret("The token; prefer a variable"),
  allowFrom: list("Users who may write to it", either("A user", text("A name or number"), number("An id"))),
});

export const channels: Field = object(
  "Channels through which users talk to agents",
  {},
  kept("A channel", {
    enabled,
    token: secret("The token; prefer a variable"),
    botToken: secret("The token; prefer a variable"),
    appToken: secret("The token; prefer a variable"),
    accounts: object("Accounts by name", {}, account),
    allowFrom: list("Users who may write to it", either("A user", text("A name or number"), number("An id"))),
  }),
);

export const cron: Field = kept("Scheduled jobs", { enabled });
export const hooks: Field = kept("Webhooks", { enabled, token: secret("The token that callers must send") });
export const discovery: Field = kept("Discovery on the local network");
export const diagnostics: Field = kept("Traces");
export const logging: Field = kept("Logs", {
  level: choice("The log level", ["silent", "fatal", "error", "warn", "info", "debug", "trace"]),
  file: path("The log file"),
});
export const update: Field = kept("Updates");
export const browser: Field = kept("A browser for agents", { enabled });
export const ui: Field = kept("The appearance of the web page", { seamColor: anything("A colour") });
