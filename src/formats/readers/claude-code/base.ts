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

/** The session that a file was forked from, if it is in the same folder. */
export async function claudeBase(
  records: readonly JsonObject[],
  around: Surroundings,
): Promise<Base | undefined> {
  const own = around.path.split(/[\\/]/).at(-1) ?? "";
  return baseOf(records, around, [own]);
}

async function baseOf(
  records: readonly JsonObject[],
  around: Surroundings,
  above: readonly string[],
): Promise<Base | undefined> {
  const first = records.find(isOfTree);
  const alone = rootIn(records);
  if (first === undefined || alone === undefined || above.length > DEPTH_MAX) return undefined;
  const { session, after } = continuedBy(first);
  if (session === undefined && after === undefined) return undefined;
  const needsOther = isRenamed(first) || after !== undefined;
  const sourceId = filledIn(records.find((record) => filledIn(record.sessionId))?.sessionId) ?? alone;
  const name = await nameOf(first, around, above);
  const head = name === undefined ? [] : await headOf(name, around);
  const base = name === undefined ? undefined : await baseOf(head, around, [...above, name]);
  const root = base?.file?.root ?? rootIn(head);
  if (name === undefined || root === undefined) {
    if (!needsOther) return undefined;
    return { file: undefined, awaits: isRenamed(first) ? session : after, sourceId, alone };
  }
  // Of a fork that begins with the first line of the conversation, only the order matters.
  const facts = { renamed: await renamedIn(name, head, base?.file, around), isOwn: root === alone };
  return { file: { name, root, facts }, awaits: base?.awaits, sourceId, alone };
}

/** The session that a file names in its first line, or the line that it follows. */
function continuedBy(first: JsonObject): { session: string | undefined; after: string | undefined } {
  const isCut = first.subtype === "compact_boundary";
  return {
    session: filledIn(objectIn(first.forkedFrom)?.sessionId),
    after: isCut ? uuidIn(first.logicalParentUuid) : undefined,
  };
}

function isOfTree({ type, uuid, isSidechain }: JsonObject): boolean {
  return TREE_TYPES.has(String(type)) && typeof uuid === "string" && isSidechain !== true;
}

async function nameOf(
  first: JsonObject,
  around: Surroundings,
  above: readonly string[],
): Promise<string | undefined> {
  const from = filledIn(objectIn(first.forkedFrom)?.sessionId);
  const { after } = continuedBy(first);
  const names = (await around.list(".")).filter((name) => name.endsWith(".jsonl") && !above.includes(name));
  const named = names.find((name) => name === `${from}.jsonl`);
  if (named !== undefined || after === undefined) return named;
  for (const name of names) {
    if (rootIn(await headOf(name, around)) !== first.uuid && (await holds(name, after, around))) return name;
  }
  return undefined;
}

/** The first records of a session, as far as its first line in the tree. */
async function headOf(name: string, around: Surroundings): Promise<JsonObject[]> {
  const head: JsonObject[] = [];
  for await (const { value } of around.records(name)) {
    const record = objectIn(value) ?? {};
    head.push(record);
    if (isOfTree(record)) break;
  }
  return head;
}

/** The id of the first line, which a fork by the SDK has from the session that it names. */
function rootIn(records: readonly JsonObject[]): string | undefined {
  const first = records.find(isOfTree);
  return first === undefined ? undefined : (originalId(first) ?? uuidIn(first.uuid));
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

function isRenamed(line: JsonObject): boolean {
  return originalId(line) !== undefined;
}

/** The first ids of lines that were renamed in the other session already. */
async function renamedIn(
  name: string,
  head: readonly JsonObject[],
  base: BaseFile | undefined,
  around: Surroundings,
): Promise<JsonObject> {
  if (!head.some(isRenamed)) return {};
  const before = objectIn(base?.facts.renamed) ?? {};
  const renamed: Record<string, string> = {};
  for await (const { value } of around.records(name)) {
    const line = objectIn(value) ?? {};
    const [own, original] = [uuidIn(line.uuid), originalId(line)];
    if (own !== undefined && original !== undefined) renamed[own] = filledIn(before[original]) ?? original;
  }
  return renamed;
}
