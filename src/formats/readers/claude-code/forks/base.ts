/**
 * The session that another one was forked from.
 *
 * A fork repeats the lines of its session. Made after a compaction, it repeats only those from there on, with the same
 * ids; made by the SDK, it has new ids and names the old ones. Either way its first line is not the first of the
 * conversation, which only the other file knows. Made by `/branch`, it begins like its session, which it names:
 * that one is the conversation, and the fork a branch of it.
 */
import type { JsonObject } from "../../../../util/json.ts";
import { filledIn, objectIn } from "../../../../util/values.ts";
import type { Base, BaseFile, Findings } from "../../../contract/format.ts";
import type { Surroundings } from "../../../contract/reader.ts";
import { type Head, headIn, isOfTree, isRenamed, SessionsBeside } from "./sessions-beside.ts";

/** A fork of a fork of a fork … */
const DEPTH_MAX = 50;

type Continued = Pick<Base, "file" | "awaits">;

/** The session that a file was forked from, if it is in the same folder. */
export async function claudeBase(
  records: readonly JsonObject[],
  around: Surroundings,
  findings: Findings,
): Promise<Base | undefined> {
  const head = headIn(records.find(isOfTree));
  if (head === undefined) return undefined;
  const own = around.path.split(/[\\/]/).at(-1) ?? "";
  const continued = await continuedBy(head, new SessionsBeside(around, findings), [own]);
  const sourceId = filledIn(records.find((record) => filledIn(record.sessionId))?.sessionId) ?? head.root;
  return continued && { ...continued, sourceId, alone: head.root };
}

/** `above` are the names of forks that lead to this one, and its own. */
async function continuedBy(
  head: Head,
  beside: SessionsBeside,
  above: readonly string[],
): Promise<Continued | undefined> {
  const { root: alone, from, after } = head;
  if ((from === undefined && after === undefined) || above.length > DEPTH_MAX) return undefined;
  const name = await nameOf(head, beside, above);
  const other = name === undefined ? undefined : await beside.head(name);
  if (name === undefined || other === undefined) {
    const needsOther = isRenamed(head) || after !== undefined;
    return needsOther ? { file: undefined, awaits: isRenamed(head) ? from : after } : undefined;
  }
  const base = await continuedBy(other, beside, [...above, name]);
  const root = base?.file?.root ?? other.root;
  const renamed = isRenamed(other) ? renamedIn(await beside.originals(name), base?.file) : {};
  // Of a fork that begins with the first line of the conversation, only the order matters.
  return { file: { name, root, facts: { renamed, isOwn: root === alone } }, awaits: base?.awaits };
}

async function nameOf(
  head: Head,
  beside: SessionsBeside,
  above: readonly string[],
): Promise<string | undefined> {
  const { from, after } = head;
  const named = from === undefined || /[\\/]/.test(from) ? undefined : `${from}.jsonl`;
  const isThere = named !== undefined && !above.includes(named) && (await beside.head(named)) !== undefined;
  if (isThere || after === undefined) return isThere ? named : undefined;
  const holder = await beside.holder(after, head, above.at(-1) ?? "");
  return holder !== undefined && above.includes(holder) ? undefined : holder;
}

/** The first ids of lines that were renamed in the other session already. */
function renamedIn(originals: JsonObject, base: BaseFile | undefined): JsonObject {
  const before = objectIn(base?.facts.renamed) ?? {};
  const renamed = Object.entries(originals).map(([own, original]) => [
    own,
    filledIn(before[String(original)]) ?? original,
  ]);
  return Object.fromEntries(renamed);
}
