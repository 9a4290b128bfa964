/** The settings that a running gateway cannot change: where it listens, and how the store was opened. */
import type { JsonObject } from "../../util/json.ts";
import { objectIn } from "../../util/values.ts";

/** With everything below them. */
const AT_START: readonly string[] = [
  "gateway.port",
  "gateway.bind",
  "gateway.customBindHost",
  "gateway.tls",
  "session.defaultCountry",
  "sessions.tree.allow_circular_references",
  "sessions.tree_enabled",
  "sessions.format",
  "sessions.auto_migrate",
  "sessions.redact",
  "sessions.redact_values",
];

/** Whether a setting takes effect only with the next start. */
export function needsRestart(path: string): boolean {
  return AT_START.some((known) => path === known || path.startsWith(`${known}.`));
}

/** The settings that differ from those of the start. */
export function waitingForRestart(atStart: JsonObject, now: JsonObject): string[] {
  return AT_START.filter(
    (path) => JSON.stringify(valueAt(atStart, path)) !== JSON.stringify(valueAt(now, path)),
  );
}

/** The section `gateway` of a config, as far as it can be in effect before a restart. */
export function effectiveSection(atStart: JsonObject, now: JsonObject): JsonObject {
  const [before, after] = [objectIn(atStart.gateway) ?? {}, objectIn(now.gateway) ?? {}];
  const fixed = Object.keys({ ...before, ...after }).filter((name) => needsRestart(`gateway.${name}`));
  const free = Object.entries(after).filter(([name]) => !fixed.includes(name));
  return Object.fromEntries([...free, ...Object.entries(before).filter(([name]) => fixed.includes(name))]);
}

function valueAt(config: JsonObject, path: string): unknown {
  return path.split(".").reduce<unknown>((value, name) => objectIn(value)?.[name], config);
}
