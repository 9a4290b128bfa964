/** Who answers, and with which tools. Other keys of these sections are kept for OpenClaw, which shares them. */
import { choice, either, type Field, flag, KEPT, list, object, path, secret, text, whole } from "./field.ts";

const section = (description: string, members: Readonly<Record<string, Field>>): Field =>
  object(description, members, KEPT);
const enabled = (what: string): Field => flag(`Whether ${what} is used; unless false, it is`);
const patterns = (description: string): Field => list(description, text("A name, where * is any text"));
const approval = (description: string): Field => choice(description, ["allow", "ask", "deny"]);

const COUNT_MAX = 1000;
const DAY_SECONDS = 86_400;
const HOUR_SECONDS = 3600;

/** The same for one agent and for all. */
const settings = (): Readonly<Record<string, Field>> => ({
  workspace: path("The folder with its files and skills"),
  model: either(
    "The model, as provider/model; default: models.default",
    text("Its name"),
    section("A model and those that replace it when it fails", {
      primary: text("The model, as provider/model"),
      fallbacks: list("Models to try after it, in order", text("A model, as provider/model")),
    }),
  ),
  thinking: choice("How long the model may think", ["off", "minimal", "low", "medium", "high"]),
  system: text("Added to the system prompt"),
  tools: section("Its tools, within the limits of the section tools", {
    allow: patterns("Only these tools"),
    deny: patterns("None of these tools, even if they are allowed"),
  }),
});

export const agents: Field = section("Agents", {
  defaults: section("Settings of all agents, unless their own differ", {
    ...settings(),
    subagents: section("Limits of the agents that an agent starts", {
      maxSpawnDepth: whole("How deep they nest; 0 means that none can be started", 0, 8, { default: 2 }),
      maxChildrenPerAgent: whole("How many one run can start", 1, COUNT_MAX, { default: 8 }),
      maxConcurrent: whole("How many of these run at once", 1, COUNT_MAX, { default: 4 }),
      runTimeoutSeconds: whole("The time limit of each, in seconds", 1, DAY_SECONDS, { default: 600 }),
    }),
  }),
  list: list(
    "The agents; main also exists if it is not listed",
    section("An agent", {
      id: text("Its id: letters, digits, - and _", {
        form: { pattern: "^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$", words: "an id of letters, digits, - and _" },
      }),
      name: text("Its name"),
      default: flag("It answers where no binding matches, instead of main"),
      ...settings(),
      subagents: section("The agents that it starts", {
        allowAgents: list("Other agents that it can start; default: only itself", text("The id of an agent")),
      }),
    }),
  ),
});

const id = (description: string): Field => text(`${description}, as a string`);

export const bindings: Field = list(
  "Which agent answers where; the most specific match wins, then the first",
  section("A binding", {
    agentId: text("The agent"),
    match: section("Where it answers", {
      channel: text("The channel, such as discord; default: every channel"),
      accountId: id("The account of the channel"),
      groupId: id("The server, workspace or group that the message is from"),
      guildId: id("The same for Discord"),
      teamId: id("The same for Slack"),
      peer: either(
        "The user of a direct message, or the room",
        id("An id"),
        section("A user or a room", {
          kind: choice("Whether it is a user or a room; default: either", [
            "direct",
            "dm",
            "group",
            "channel",
            "thread",
          ]),
          id: id("An id"),
        }),
      ),
    }),
  }),
);

export const tools: Field = section("Tools of all agents", {
  allow: patterns("Only these tools; default: all"),
  deny: patterns("None of these tools, even if they are allowed"),
  profile: text("A named set of tools. Not used yet"),
  exec: section("Running commands. Not used yet", {
    security: text("Which commands are allowed"),
    host: text("Where commands run"),
    timeoutSec: whole("The time limit of a command, in seconds", 1, DAY_SECONDS),
  }),
  fs: section("Files. Not used yet", { workspaceOnly: flag("Restrict access to the workspace") }),
});

const rules = (): Readonly<Record<string, Field>> => ({
  default: approval("For tools that no other rule names"),
  tools: object("Rules by tool; * is any text, and the most specific name wins", {}, approval("The rule")),
});

export const approvals: Field = section("Which tools run at once, after a question, or not at all", {
  ...rules(),
  timeoutSeconds: whole(
    "How long a user has to answer a question, in seconds; default: 600",
    1,
    HOUR_SECONDS,
  ),
  channels: object("Rules by channel, which win over the others", {}, section("A channel", rules())),
});

export const mcp: Field = section("Servers of the Model Context Protocol, whose tools agents can use", {
  servers: object(
    "Servers by name; a tool is called <server>_<tool>",
    {},
    section("A server", {
      enabled: enabled("it"),
      command: text("The program to start"),
      args: list("Its arguments", text("An argument")),
      env: object("Its environment variables", {}, secret("The value of a variable")),
      cwd: path("The folder it starts in"),
      url: text("The URL of a server that is running; instead of command"),
      headers: object("Sent with every request", {}, secret("The value of a header")),
      timeoutSeconds: whole("The time limit of a call, in seconds; default: 60", 1, HOUR_SECONDS),
    }),
  ),
});

export const skills: Field = section("Instructions that an agent reads when it needs them", {
  load: section("Where to look for skills", {
    extraDirs: list("Additional folders of skills", path("A folder")),
  }),
  entries: object(
    "Skills by name",
    {},
    section("A skill", { enabled: enabled("it"), apiKey: secret("Its API key. Not used yet") }),
  ),
  allowBundled: list("Built-in skills that are allowed. Not used yet", text("A name")),
});

export const plugins: Field = section("Extensions: modules that add tools and channels", {
  enabled: flag("Whether any extension is loaded; unless false, those below are"),
  allow: list("Only these extensions", text("A name")),
  deny: list("None of these extensions", text("A name")),
  entries: object(
    "Extensions by name",
    {},
    section("An extension", {
      enabled: flag("Whether it is loaded; default: false"),
      module: text("Its file in the folder extensions/; default: <name>.js, <name>.mjs or <name>/index.js"),
      config: object("Its settings, which it checks itself", {}, KEPT),
      dbPath: path("Where it stores its data"),
    }),
  ),
});
