/** Sections of OpenClaw that are known and kept. Nothing in this version uses them. */
import {
  anything,
  choice,
  either,
  type Field,
  flag,
  KEPT,
  number,
  object,
  path,
  secret,
  text,
} from "./field.ts";

const kept = (description: string, members: Readonly<Record<string, Field>> = {}): Field =>
  object(description, members, KEPT);
const enabled = flag("Whether it is enabled");

export const wizard: Field = kept("The last run of the setup", {
  lastRunAt: either("When it ran", number("Milliseconds since 1970"), text("ISO 8601")),
  lastRunVersion: text("The version that ran"),
});

export const messages: Field = kept("How messages are received and answered");
export const commands: Field = kept("Commands in chats");
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
