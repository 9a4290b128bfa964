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
const enabled = flag("Whether it is on");
const names = (description: string): Field => list(description, text("A name"));

export const wizard: Field = kept("What the setup did last", {
  lastRunAt: either("When it ran", number("Milliseconds since 1970"), text("ISO 8601")),
  lastRunVersion: text("Of which version"),
});

export const skills: Field = kept("Skills of agents", {
  allowBundled: names("Built-in skills that may be used"),
  load: kept("Where skills are looked for", { extraDirs: list("More folders", path("A folder")) }),
  entries: object("Skills by their name", {}, kept("A skill", { enabled, apiKey: secret("Its key") })),
});

export const plugins: Field = kept("Extensions", {
  enabled,
  allow: names("Extensions that may be loaded"),
  deny: names("Extensions that may not be loaded"),
  entries: object(
    "Extensions by their name",
    {},
    kept("An extension", { enabled, dbPath: path("Where it keeps its data") }),
  ),
});

export const agents: Field = kept("Agents", {
  defaults: kept("For all agents", { workspace: path("The folder they work in") }),
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
  allow: names("Tools that may be used"),
  deny: names("Tools that may not be used"),
  exec: kept("Running commands", {
    security: text("What may be run"),
    host: text("Where it is run"),
    timeoutSec: whole("How long a command may run", 1, 86_400),
  }),
  fs: kept("Files", { workspaceOnly: flag("Only those of the workspace") }),
});

export const bindings: Field = list(
  "Which agent answers where",
  kept("A binding", { agentId: text("The agent") }),
);
export const messages: Field = kept("How messages are taken and answered");
export const commands: Field = kept("Commands in chats");
export const approvals: Field = kept("What needs a person's consent");
export const session: Field = kept("When a chat begins anew", {
  store: path("Where the session index is"),
  idleMinutes: number("After so much silence", { min: 0 }),
});

const account: Field = kept("An account", {
  enabled,
  token: secret("Its token; better a variable"),
  botToken: secret("Its token; better a variable"),
  allowFrom: list("Who may write to it", either("A person", text("A name or number"), number("An id"))),
});

export const channels: Field = object(
  "Where people talk to agents",
  {},
  kept("A channel", {
    enabled,
    token: secret("Its token; better a variable"),
    botToken: secret("Its token; better a variable"),
    appToken: secret("Its token; better a variable"),
    accounts: object("Accounts by their name", {}, account),
    allowFrom: list("Who may write to it", either("A person", text("A name or number"), number("An id"))),
  }),
);

export const cron: Field = kept("Jobs at set times", { enabled });
export const hooks: Field = kept("Calls from outside", { enabled, token: secret("What callers show") });
export const discovery: Field = kept("Being found in the network");
export const memory: Field = kept("Recall", {
  path: path("Where it is kept"),
  embedding: kept("How texts become vectors", {
    provider: text("The provider"),
    fallback: text("The provider when the first fails"),
    model: text("The model"),
    dimensions: whole("Of a vector", 1, 65_536),
  }),
});
export const diagnostics: Field = kept("Traces");
export const logging: Field = kept("Logs", {
  level: choice("How much is logged", ["silent", "fatal", "error", "warn", "info", "debug", "trace"]),
  file: path("Where to"),
});
export const update: Field = kept("Updates");
export const browser: Field = kept("A browser for agents", { enabled });
export const ui: Field = kept("The looks of the web page", { seamColor: anything("A colour") });
