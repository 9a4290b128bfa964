import { loadConfig } from "../../state/config/load.ts";
import type { RetentionLimits, RetentionPolicy } from "../../store/index.ts";
import type { StoreOptions } from "../../store/open.ts";
import { isPlainObject } from "../../util/json.ts";
import type { Call } from "../command.ts";
import { configOptions } from "../input/config-options.ts";

export type StoreSettings = Pick<StoreOptions, "tree" | "treeEnabled" | "sessions" | "defaultCountry">;

/** The sections `sessions` and `session` of the config as store options. Missing settings keep the defaults of the store. */
export async function storeSettings(call: Call): Promise<StoreSettings> {
  const { value } = await loadConfig(configOptions(call));
  const sessions = sectionOf(value, "sessions");
  const tree = sectionOf(sessions, "tree");
  const limits = {
    ...numberAs("maxDepth", tree.max_depth),
    ...numberAs("warningDepth", tree.warning_depth),
  };
  const format = sessions.format === "legacy" || sessions.format === "v2" ? sessions.format : "auto";
  const { defaultCountry } = sectionOf(value, "session");
  return {
    ...(typeof defaultCountry === "string" ? { defaultCountry } : {}),
    tree: limits,
    treeEnabled: sessions.tree_enabled !== false,
    sessions: { format, autoMigrate: sessions.auto_migrate !== false },
  };
}

/** The configured limits; `undefined` when there are none. */
export async function retentionSettings(call: Call): Promise<RetentionPolicy | undefined> {
  const { value } = await loadConfig(configOptions(call));
  const retention = sectionOf(sectionOf(value, "sessions"), "retention");
  const channels = Object.keys(sectionOf(retention, "channels")).map((name) => [
    name,
    limitsOf(sectionOf(sectionOf(retention, "channels"), name)),
  ]);
  const policy = {
    ...limitsOf(retention),
    ...(channels.length === 0 ? {} : { channels: Object.fromEntries(channels) }),
  };
  return Object.keys(policy).length === 0 ? undefined : policy;
}

function limitsOf(section: Readonly<Record<string, unknown>>): RetentionLimits {
  return {
    ...numberAs("maxAgeDays", section.max_age_days),
    ...numberAs("maxMessages", section.max_messages),
    ...numberAs("maxBytes", section.max_bytes),
    ...numberAs("trashDays", section.trash_days),
  };
}

function sectionOf(value: unknown, name: string): Readonly<Record<string, unknown>> {
  const section = isPlainObject(value) ? value[name] : undefined;
  return isPlainObject(section) ? section : {};
}

function numberAs(name: string, value: unknown): Readonly<Record<string, number>> {
  return typeof value === "number" ? { [name]: value } : {};
}
