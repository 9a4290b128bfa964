/**
 * The rollout that another one continues.
 *
 * A fork, and a thread that went back, begin with a part of another rollout, which they name instead of repeating it.
 * That part is read again, so that the chain of their entries goes on where it ends: once for all that continue it.
 */
import type { JsonObject } from "../../../util/json.ts";
import { filledIn, numberIn, objectIn } from "../../../util/values.ts";
import type { Base, BaseFile, Findings } from "../../contract/format.ts";
import { madeId } from "../../contract/ids.ts";
import type { ConversationSink, Sink, SourceRecord, Surroundings } from "../../contract/reader.ts";
import { conversationOf, parentThread } from "./meta.ts";
import { CodexReader } from "./reader.ts";

/** A fork of a fork of a fork … */
const DEPTH_MAX = 50;
const DAY_MS = 86_400_000;

/** The rollout that a file continues, if it is in the same folders, or in those of Codex. */
export async function codexBase(
  records: readonly JsonObject[],
  around: Surroundings,
  findings: Findings,
): Promise<Base | undefined> {
  const all = { around: withAllOfCodex(around), findings };
  return baseOf(metaIn(records), around.path, all, []);
}

/** Whether there is a rollout of this id, in folders that an earlier import may not have been given. */
export async function hasRollout(id: string, around: Surroundings): Promise<boolean> {
  const all = withAllOfCodex(around);
  const name = await rolloutNamed(id, all);
  return name !== undefined && (await firstMeta(name, all)) !== undefined;
}

/** The rollouts beside one, and what was found in them before. */
interface Rollouts {
  readonly around: Surroundings;
  readonly findings: Findings;
}

async function baseOf(
  meta: JsonObject,
  path: string,
  rollouts: Rollouts,
  above: readonly string[],
): Promise<Base | undefined> {
  const { around } = rollouts;
  const part = objectIn(meta.history_base);
  const id = filledIn(part?.thread_id) ?? filledIn(meta.forked_from_id);
  // A sub-agent that knows the beginning of its parent is a separate conversation.
  if (id === undefined || above.length > DEPTH_MAX || parentThread(meta) !== undefined) return undefined;
  const { sourceId, root: alone = sourceId } = conversationOf(meta, path, undefined);
  const name = await rolloutNamed(id, around);
  const isFound = name !== undefined && !above.includes(name);
  const first = isFound ? await firstMeta(name, around) : undefined;
  if (!isFound || first === undefined) return { file: undefined, awaits: id, sourceId, alone };
  const own = await baseOf(first, around.pathOf(name), rollouts, [...above, name]);
  const { root = id } = own?.file ?? conversationOf(first, around.pathOf(name), undefined);
  const facts = part === undefined ? {} : await factsUpTo(part, name, own?.file, rollouts);
  return { file: { name, root, facts }, awaits: own?.awaits, sourceId, alone };
}

/** Where the named part of a rollout ends. It also depends on the rollouts before, which have their own changes. */
function factsUpTo(
  part: JsonObject,
  name: string,
  base: BaseFile | undefined,
  { around, findings }: Rollouts,
): Promise<JsonObject> {
  const end = [part.end_byte_offset, part.end_ordinal_exclusive, base?.facts].map((fact) => fact ?? null);
  return findings.in(name, around, `codex facts ${madeId(JSON.stringify(end))}`, async () => {
    const reader = new CodexReader(SILENT, around.pathOf(name), undefined, base);
    for await (const record of around.records(name)) {
      if (isBeyond(record, part)) break;
      reader.record(record);
    }
    reader.end(true);
    return reader.facts();
  });
}

function isBeyond({ value, offset }: SourceRecord, part: JsonObject): boolean {
  const end = numberIn(part.end_byte_offset);
  if (end !== undefined && offset !== null) return offset >= end;
  return (numberIn(objectIn(value)?.ordinal) ?? 0) >= (numberIn(part.end_ordinal_exclusive) ?? 0);
}

/** `undefined` if nothing can be read, because it is a link that leads elsewhere, or was only begun. */
async function firstMeta(name: string, around: Surroundings): Promise<JsonObject | undefined> {
  for await (const { value } of around.records(name)) return metaIn([objectIn(value) ?? {}]);
  return undefined;
}

function metaIn(records: readonly JsonObject[]): JsonObject {
  const first = records.find(({ type }) => type === "session_meta");
  return objectIn(first?.payload) ?? {};
}

/** The name of a rollout ends with its id. It is in the folder of its day, in the zone of the user, or archived. */
async function rolloutNamed(id: string, around: Surroundings): Promise<string | undefined> {
  const ends = [".jsonl", ".jsonl.zst"].flatMap((end) => [`-${id}${end}`, `_${id}${end}`]);
  for (const folder of foldersFor(id, around.path)) {
    const names = await around.list(folder);
    const found = ends.flatMap((end) => names.find((name) => name.endsWith(end)) ?? [])[0];
    if (found !== undefined) return `${folder}/${found}`;
  }
  return undefined;
}

/** The user may have named a single day or file, and the folders that are looked into are few. */
export function withAllOfCodex(around: Surroundings): Surroundings {
  const { path } = around;
  return isDated(path) || isArchived(path) ? around.beyond(homeOf(path)) : around;
}

function isDated(path: string): boolean {
  return /[\\/]sessions[\\/]\d{4}[\\/]\d\d[\\/]\d\d[\\/]rollout-[^\\/]+$/.test(path);
}

function isArchived(path: string): boolean {
  return /[\\/]archived_sessions[\\/]rollout-[^\\/]+$/.test(path);
}

function homeOf(path: string): string {
  return isDated(path) ? "../../../.." : "..";
}

function foldersFor(id: string, path: string): string[] {
  const up = homeOf(path);
  const days = [0, -DAY_MS, DAY_MS].map((shift) => dayOf(timeOf(id) + shift));
  return [".", ...days.map((day) => `${up}/sessions/${day}`), `${up}/archived_sessions`];
}

/** The first 48 bits of the id count milliseconds. */
function timeOf(id: string): number {
  return Number.parseInt(id.replaceAll("-", "").slice(0, 12), 16) || 0;
}

function dayOf(ms: number): string {
  const day = new Date(ms);
  return Number.isNaN(day.getTime()) ? "." : day.toISOString().slice(0, 10).replaceAll("-", "/");
}

const NOWHERE: ConversationSink = { add() {}, note() {}, blob() {}, update() {}, leaf() {} };

/** For records that were imported with their own file. */
const SILENT: Sink = {
  conversation: () => NOWHERE,
  isCurrent: () => false,
  waitsFor: () => false,
  offer() {},
  skip() {},
  unknown() {},
  unresolved() {},
};
