/**
 * One answer of the model and the results of its calls.
 *
 * Claude Code writes a line for each block of an answer and, as soon as a
 * call is done, a line for its result, whose parent is the line of the call.
 * In the tree, every parallel call therefore looks like a fork. Here the lines
 * become one message, and the results follow it one after the other.
 */
import type { Json } from "../../../util/json.ts";
import { filledIn, listIn, objectIn } from "../../../util/values.ts";
import type { SourceEntry } from "../../contract/reader.ts";
import type { OutputFile } from "./blocks.ts";
import { callsIn, type Line, timeOf, uuidIn } from "./line.ts";
import type { Links } from "./links.ts";
import { assistantMessage, userMessage } from "./message.ts";

/** The calls of an answer, and where their results go. */
export interface Calls {
  /** Ids of the lines and of the results so far. */
  readonly uuids: Set<string>;
  /** Calls without a result. */
  readonly waiting: Set<string>;
  readonly answered: Set<string>;
  /** The entry that the next result, or the next part of the answer, follows. */
  last: string;
  /** The last entry of the answer, which has several if a pass ended within it. */
  part: string;
  /** The last result. */
  result: string | undefined;
}

export interface Group {
  readonly messageId: string | undefined;
  /** The answer that this one continues, because a part of it was added earlier. */
  readonly behind: Added | undefined;
  /** Lines and results, in the order of the file. */
  readonly taken: Line[];
  readonly calls: Calls;
}

/** An answer that was added at the end of a pass, perhaps before it was complete. */
export interface Added {
  readonly messageId: string | undefined;
  readonly calls: Calls;
}

export function groupOf(line: Line, behind?: Added): Group {
  const { uuids, waiting, answered, result } = behind?.calls ?? {};
  const calls: Calls = {
    // A copy, because held lines have not been added.
    uuids: new Set(uuids),
    waiting: new Set(waiting),
    answered: new Set(answered),
    last: line.uuid ?? "",
    part: line.uuid ?? "",
    result,
  };
  const group: Group = { messageId: line.messageId, behind, taken: [], calls };
  addLine(group, line);
  return group;
}

/** A repeated line is a copy, not a part. */
export function continues({ messageId, calls }: Group | Added, line: Line): boolean {
  const isSame = line.messageId !== undefined && line.messageId === messageId;
  return isSame && line.uuid !== undefined && !calls.uuids.has(line.uuid);
}

export function addLine({ taken, calls }: Group, line: Line): void {
  taken.push(line);
  if (line.uuid !== undefined) calls.uuids.add(line.uuid);
  for (const { id } of callsIn(line)) if (typeof id === "string") calls.waiting.add(id);
}

/** A second result of one call is another attempt, which is a real fork. */
export function isResultOf({ uuids, waiting, answered }: Calls, line: Line, links: Links): boolean {
  if (line.answers.length === 0 || line.answers.some((id) => answered.has(id))) return false;
  if (line.uuid === undefined || uuids.has(line.uuid)) return false;
  if (line.answers.some((id) => waiting.has(id))) return true;
  const above = [uuidIn(line.value.sourceToolAssistantUUID), links.resolve(line.parent ?? null)];
  return above.some((id) => typeof id === "string" && uuids.has(id));
}

export function addAnswers(calls: Calls, { answers, uuid }: Line): void {
  if (uuid !== undefined) calls.uuids.add(uuid);
  for (const id of answers) {
    calls.waiting.delete(id);
    calls.answered.add(id);
  }
}

/** The message of a group and its results. A later reference to one of the results means the last of them. */
export function entriesOf(
  { taken, calls, behind }: Group,
  links: Links,
  outputFile: OutputFile,
): SourceEntry[] {
  const lines = taken.filter(({ kind }) => kind === "assistant");
  const [first, ...others] = lines as [Line, ...Line[]];
  const id = first.uuid ?? "";
  const aliases = others.flatMap(({ uuid }) => uuid ?? []);
  const message: SourceEntry = {
    id,
    parent: behind === undefined ? parentOf(first, links) : behind.calls.last,
    ...(aliases.length === 0 ? {} : { aliases }),
    at: timeOf(first),
    message: assistantMessage(lines, outputFile),
    records: lines.map(({ record }) => record),
  };
  for (const alias of aliases) links.set(alias, id);
  // The answer continues here: a reference to its beginning means all of it.
  if (behind !== undefined) {
    for (const before of [behind.calls.part, behind.calls.last]) links.set(before, id);
  }
  const results = taken.filter(({ kind }) => kind === "user");
  return [message, ...results.map((line) => resultEntry(line, calls, links, outputFile))];
}

/** `calls.last` advances with each result. */
export function resultEntry(line: Line, calls: Calls, links: Links, outputFile: OutputFile): SourceEntry {
  const entry = { ...userEntry(line, links, outputFile), parent: calls.last };
  if (calls.result !== undefined) links.set(calls.result, entry.id);
  calls.result = entry.id;
  calls.last = entry.id;
  return entry;
}

export function userEntry(line: Line, links: Links, outputFile: OutputFile): SourceEntry {
  return {
    id: line.uuid ?? "",
    parent: parentOf(line, links),
    at: timeOf(line),
    message: userMessage(line, outputFile),
    records: [line.record],
  };
}

function parentOf({ parent }: Line, links: Links): string | null | undefined {
  return parent === undefined ? undefined : links.resolve(parent);
}

export function savedAdded({ messageId, calls }: Added): Json {
  const { uuids, waiting, answered, last, part, result } = calls;
  return {
    ...(messageId === undefined ? {} : { messageId }),
    ...{ uuids: [...uuids], waiting: [...waiting], answered: [...answered], last, part },
    ...(result === undefined ? {} : { result }),
  };
}

export function addedOf(saved: Json | undefined): Added | undefined {
  const { messageId, uuids, waiting, answered, last, part, result } = objectIn(saved) ?? {};
  if (typeof last !== "string" || typeof part !== "string") return undefined;
  const ids = (value: Json | undefined) => new Set(listIn(value).flatMap((id) => filledIn(id) ?? []));
  const sets = { uuids: ids(uuids), waiting: ids(waiting), answered: ids(answered) };
  return { messageId: filledIn(messageId), calls: { ...sets, last, part, result: filledIn(result) } };
}
