/** Changes to a conversation, in words. */
import { REMOVED_KIND } from "../../message/entry.ts";
import type { Entry } from "../../message/types.ts";
import { isPlainObject, type Json, type JsonObject } from "../../util/json.ts";
import { counted } from "../terminal/count-text.ts";

/** Names an entry, by its number if that is known. */
export type NameEntry = (id: string) => string;

/** `undefined` for other entries and malformed ones. Not yet safe for a terminal. */
export function controlText({ kind, data }: Entry, nameOf: NameEntry): string | undefined {
  if (!isPlainObject(data)) return undefined;
  const control = data as JsonObject;
  if (kind === REMOVED_KIND) return "removed with its branch";
  if (kind === "label") return labelText(control, nameOf);
  if (kind === "custom") return CUSTOM.get(String(control.type))?.(control, nameOf);
  return kind === "info" ? INFOS.get(String(control.type))?.(control, nameOf) : undefined;
}

function labelText({ entry, label }: JsonObject, nameOf: NameEntry): string | undefined {
  if (!isText(entry)) return undefined;
  if (label === null) return `label removed from ${nameOf(entry)}`;
  return isText(label) ? `label "${label}" on ${nameOf(entry)}` : undefined;
}

type Words = (data: JsonObject, nameOf: NameEntry) => string | undefined;

const branchText: Words = ({ name, from, fromSeq, checkout, former }) => {
  if (!isText(name)) return undefined;
  if (isText(former)) return `${name} starts over; the previous ${name} is now ${former}`;
  const start = from === null ? "the start" : `#${Number(fromSeq)}`;
  return `branch ${name} from ${start}${checkout === true ? ", checked out" : ""}`;
};

const turnText: Words = ({ state, text }) => {
  const how = state === "interrupted" || state === "stopped" ? ` (${state})` : "";
  // Its branch was pruned while it was in progress.
  if (isText(text) && text !== "") return `turn ended${how} without a branch: ${text}`;
  return `turn ended without an answer${how}`;
};

const INFOS: ReadonlyMap<string, Words> = new Map<string, Words>([
  ["branch", branchText],
  ["checkout", ({ name }) => (isText(name) ? `checked out ${name}` : undefined)],
  [
    "flatten",
    ({ former }) => (isText(former) ? `flattened; the previous main is now ${former}` : "flattened"),
  ],
  [
    "prune",
    ({ branches }) => (Array.isArray(branches) ? `pruned ${counted(branches.length, "branch")}` : undefined),
  ],
  [
    "undo-compaction",
    ({ compaction }, nameOf) => (isText(compaction) ? `compaction ${nameOf(compaction)} undone` : undefined),
  ],
  ["turn", turnText],
  ["original", ({ file }) => (isText(file) ? `the original of ${file}` : "an original, which was erased")],
  ["import", ({ format }) => (isText(format) ? `imported from ${format}` : undefined)],
]);

/** Added by an import. */
const CUSTOM: ReadonlyMap<string, Words> = new Map<string, Words>([
  ["unusable-message", ({ role }) => `${role} message without content`],
]);

function isText(value: Json | undefined): value is string {
  return typeof value === "string";
}
