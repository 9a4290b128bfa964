/** Every section of the config, and which of them this version uses. */
import { agents, approvals, bindings, mcp, plugins, skills, tools } from "./agent-sections.ts";
import { channels } from "./channels-section.ts";
import { type Field, type ObjectField, type Section, text } from "./field.ts";
import { gateway } from "./gateway-section.ts";
import * as kept from "./kept-sections.ts";
import { memory, search } from "./memory-section.ts";
import { auth, env, meta, models, session, sessions, streaming } from "./own-sections.ts";

const used = (field: Field): Section => ({ field, used: true });
const unused = (field: Field): Section => ({ field, used: false });

export const SECTIONS: Readonly<Record<string, Section>> = {
  meta: used(meta),
  auth: unused(auth),
  env: used(env),
  wizard: unused(kept.wizard),
  skills: used(skills),
  plugins: used(plugins),
  models: used(models),
  agents: used(agents),
  tools: used(tools),
  bindings: used(bindings),
  messages: unused(kept.messages),
  commands: unused(kept.commands),
  approvals: used(approvals),
  session: used(session),
  channels: used(channels),
  cron: unused(kept.cron),
  hooks: unused(kept.hooks),
  discovery: unused(kept.discovery),
  gateway: used(gateway),
  memory: used(memory),
  diagnostics: unused(kept.diagnostics),
  logging: unused(kept.logging),
  update: unused(kept.update),
  browser: unused(kept.browser),
  ui: unused(kept.ui),
  mcp: used(mcp),
  search: used(search),
  sessions: used(sessions),
  streaming: used(streaming),
};

const members = Object.fromEntries(Object.entries(SECTIONS).map(([name, { field }]) => [name, field]));

export const ROOT: ObjectField = {
  type: "object",
  description: "The config of Colloquy",
  // Editors put it at the top to find the schema.
  members: { $schema: text("URL of the JSON Schema, for editors"), ...members },
};
