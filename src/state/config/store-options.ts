/** The settings of the config that a store is opened with. Missing ones keep the defaults of the store. */
import type { RetentionLimits, RetentionPolicy } from "../../store/index.ts";
import type { StoreOptions } from "../../store/open.ts";
import type { DepthLimits } from "../../tree/branches.ts";
import { isPlainObject, type Json, type JsonObject } from "../../util/json.ts";
import { listIn } from "../../util/values.ts";

export type ConfiguredStore = Pick<
  StoreOptions,
  "tree" | "treeEnabled" | "sessions" | "defaultCountry" | "redact"
>;

/** How deep branches may be, as far as the config says so. */
export function depthsIn(config: JsonObject): Partial<DepthLimits> {
  const tree = sectionOf(sectionOf(config, "sessions"), "tree");
  return { ...numberAs("maxDepth", tree.max_depth), ...numberAs("warningDepth", tree.warning_depth) };
}

/** The options for a store, as far as they have an effect on it. */
export function storeOptions(config: JsonObject, target: string): ConfiguredStore {
  const sessions = sectionOf(config, "sessions");
  const tree = sectionOf(sessions, "tree");
  const { defaultCountry } = sectionOf(config, "session");
  const format = sessions.format === "legacy" || sessions.format === "v2" ? sessions.format : "auto";
  return {
    ...(typeof defaultCountry === "string" ? { defaultCountry } : {}),
    tree: {
      ...depthsIn(config),
      ...(tree.allow_circular_references === true ? { allowCircularReferences: true } : {}),
    },
    treeEnabled: sessions.tree_enabled !== false,
    ...(sessions.redact === "secrets" ? { redact: listIn(sessions.redact_values as Json).map(String) } : {}),
    // Only a folder of files can hold legacy transcripts.
    ...(target.startsWith("jsonl:")
      ? { sessions: { format, autoMigrate: sessions.auto_migrate !== false } }
      : {}),
  };
}

/** The configured limits; `undefined` when there are none. */
export function retentionPolicy(config: JsonObject): RetentionPolicy | undefined {
  const retention = sectionOf(sectionOf(config, "sessions"), "retention");
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
