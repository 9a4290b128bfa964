/**
 * The session that another one was forked from.
 *
 * A fork repeats the lines of its session. Made after a compaction, it repeats only those from there on, with the same
 * ids; made by the SDK, it has new ids and names the old ones. Either way its first line is not the first of the
 * conversation, which only the other file knows. Made by `/branch`, it begins like its session, which it names:
 * that one is the conversation, and the fork a branch of it.
 */
import type { JsonObject } from "../../../util/json.ts";
import { filledIn, objectIn } from "../../../util/values.ts";
import type { Base, BaseFile } from "../../contract/format.ts";
import type { Surroundings } from "../../contract/reader.ts";
import { TREE_TYPES } from "./kinds.ts";
import { uuidIn } from "./line.ts";

/** A fork of a fork of a fork … */
const DEPTH_MAX = 50;

/** What the first line in the tree of a session says about it. */
interface Head {
  readonly uuid: string;
  /** Its id in the session that it names. Only a fork by the SDK has another one. */
  readonly root: string;
  /** The session that it names. */
  readonly from: string | undefined;
  /** The line that it follows, of which its file has no copy. */
  readonly after: string | undefined;
}

type Continued = Pick<Base, "file" | "awaits">;

/** The session that a file was forked from, if it is in the same folder. */
export async function claudeBase(
  records: readonly JsonObject[],
  around: Surroundings,
): Promise<Base | undefined> {
  const head = headIn(records.find(isOfTree));
  if (head === undefined) return undefined;
  const own = around.path.split(/[\\/]/).at(-1) ?? "";
  const continued = await continuedBy(head, around, [own]);
  const sourceId = filledIn(records.find((record) => filledIn(record.sessionId))?.sessionId) ?? head.root;
  return continued && { ...continued, sourceId, alone: head.root };
}

async function continuedBy(
  head: Head,
  around: Surroundings,
  above: readonly string[],
): Promise<Continued | undefined> {
  const { root: alone, from, after } = head;
  if ((from === undefined && after === undefined) || above.length > DEPTH_MAX) return undefined;
  const name = await nameOf(head, around, above);
  const other = name === undefined ? undefined : await headOf(name, around);
  if (name === undefined || other === undefined) {
    const needsOther = isRenamed(head) || after !== undefined;
    return needsOther ? { file: undefined, awaits: isRenamed(head) ? from : after } : undefined;
  }
  const base = await continuedBy(other, around, [...above, name]);
  const root = base?.file?.root ?? other.root;
  const renamed = isRenamed(other) ? await renamedIn(name, base?.file, around) : {};
  // Of a fork that begins with the first line of the conversation, only the order matters.
  return { file: { name, root, facts: { renamed, isOwn: root === alone } }, awaits: base?.awaits };
}

function isOfTree({ type, uuid, isSidechain }: JsonObject): boolean {
  return TREE_TYPES.has(String(type)) && typeof uuid === "string" && isSidechain !== true;
}

async function nameOf(
  { uuid, from, after }: Head,
  around: Surroundings,
  above: readonly string[],
): Promise<string | undefined> {
  const names = (await around.list(".")).filter((name) => isSession(name) && !above.includes(name));
  const named = names.find((name) => name === `${from}.jsonl`);
  if (named !== undefined || after === undefined) return named;
  for (const name of names) {
    if ((await headOf(name, around))?.root !== uuid && (await holds(name, after, around))) return name;
  }
  return undefined;
}

/** The transcripts of sub-agents, which were once beside the sessions, may be large, and no fork continues one. */
function isSession(name: string): boolean {
  return name.endsWith(".jsonl") && !name.startsWith("agent-");
}

/** Nothing else is held of the file, which may have any number of lines outside of the tree. */
async function headOf(name: string, around: Surroundings): Promise<Head | undefined> {
  for await (const { value } of around.records(name)) {
    const record = objectIn(value) ?? {};
    if (isOfTree(record)) return headIn(record);
  }
  return undefined;
}

function headIn(first: JsonObject | undefined): Head | undefined {
  const uuid = uuidIn(first?.uuid);
  if (first === undefined || uuid === undefined) return undefined;
  return {
    uuid,
    root: originalId(first) ?? uuid,
    from: filledIn(objectIn(first.forkedFrom)?.sessionId),
    after: first.subtype === "compact_boundary" ? uuidIn(first.logicalParentUuid) : undefined,
  };
}

async function holds(name: string, uuid: string, around: Surroundings): Promise<boolean> {
  const bytes = await around.read(name);
  if (bytes !== undefined) return bytes.includes(`"uuid":"${uuid}"`);
  for await (const { value } of around.records(name)) if (objectIn(value)?.uuid === uuid) return true;
  return false;
}

/** The id that a line had in the session that it was copied from, if it has another one now. */
function originalId(line: JsonObject): string | undefined {
  const original = uuidIn(objectIn(line.forkedFrom)?.messageUuid);
  return original === uuidIn(line.uuid) ? undefined : original;
}

function isRenamed({ uuid, root }: Head): boolean {
  return root !== uuid;
}

/** The first ids of lines that were renamed in the other session already. */
async function renamedIn(
  name: string,
  base: BaseFile | undefined,
  around: Surroundings,
): Promise<JsonObject> {
  const before = objectIn(base?.facts.renamed) ?? {};
  const renamed: Record<string, string> = {};
  for await (const { value } of around.records(name)) {
    const line = objectIn(value) ?? {};
    const [own, original] = [uuidIn(line.uuid), originalId(line)];
    if (own !== undefined && original !== undefined) renamed[own] = filledIn(before[original]) ?? original;
  }
  return renamed;
}
