/**
 * One answer of the model and the results of its calls.
 *
 * Claude Code writes a line for each block of an answer and, as soon as a
 * call is done, a line for its result, which hangs on the line of its call.
 * In the tree that looks like a fork for every parallel call. Here the lines
 * become one message, and the results follow it one after the other.
 */
import type { Json } from "../../util/json.ts";
import type { SourceEntry } from "../import/contract.ts";
import { filledIn, listIn, objectIn } from "../import/values.ts";
import type { OutputFile } from "./claude-code-blocks.ts";
import { callsIn, type Line, timeOf, uuidIn } from "./claude-code-line.ts";
import type { Links } from "./claude-code-links.ts";
import { assistantMessage, userMessage } from "./claude-code-message.ts";

/** The calls of an answer and where their results belong. */
export interface Calls {
  /** Ids of the lines and of the results so far. */
  readonly uuids: Set<string>;
  /** Calls without a result. */
  readonly waiting: Set<string>;
  readonly answered: Set<string>;
  /** What the next result follows. */
  last: string;
}

export interface Group {
  readonly messageId: string | undefined;
  /** Lines and results, in the order of the file. */
  readonly taken: Line[];
  readonly calls: Calls;
}

export function groupOf(line: Line): Group {
  const calls: Calls = { uuids: new Set(), waiting: new Set(), answered: new Set(), last: line.uuid ?? "" };
  const group: Group = { messageId: line.messageId, taken: [], calls };
  addLine(group, line);
  return group;
}

/** A line that stands there twice is a copy, not a part. */
export function continues(group: Group, line: Line): boolean {
  const isSame = line.messageId !== undefined && line.messageId === group.messageId;
  return isSame && line.uuid !== undefined && !group.calls.uuids.has(line.uuid);
}

export function addLine({ taken, calls }: Group, line: Line): void {
  taken.push(line);
  if (line.uuid !== undefined) calls.uuids.add(line.uuid);
  for (const { id } of callsIn(line)) if (typeof id === "string") calls.waiting.add(id);
}

/** A second result of one call is another attempt: that is a fork indeed. */
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

/** The message of a group and its results. Who names one of the results from now on follows the last of them. */
export function entriesOf({ taken, calls }: Group, links: Links, outputFile: OutputFile): SourceEntry[] {
  const lines = taken.filter(({ kind }) => kind === "assistant");
  const [first, ...others] = lines as [Line, ...Line[]];
  const id = first.uuid ?? "";
  const aliases = others.flatMap(({ uuid }) => uuid ?? []);
  const message: SourceEntry = {
    id,
    parent: parentOf(first, links),
    ...(aliases.length === 0 ? {} : { aliases }),
    at: timeOf(first),
    message: assistantMessage(lines, outputFile),
    records: lines.map(({ record }) => record),
  };
  for (const alias of aliases) links.set(alias, id);
  const results = taken.filter(({ kind }) => kind === "user");
  return [message, ...results.map((line) => resultEntry(line, calls, id, links, outputFile))];
}

/** `calls.last` moves on with each result; `group` is the id of the message. */
export function resultEntry(
  line: Line,
  calls: Calls,
  group: string,
  links: Links,
  outputFile: OutputFile,
): SourceEntry {
  const parent = calls.last;
  const entry = { ...userEntry(line, links, outputFile), parent };
  if (parent !== group) links.set(parent, entry.id);
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

/** Calls that still wait when their message was added long ago. */
export interface LateCalls {
  readonly group: string;
  readonly calls: Calls;
}

export function savedLate({ group, calls: { uuids, waiting, answered, last } }: LateCalls): Json {
  return { group, uuids: [...uuids], waiting: [...waiting], answered: [...answered], last };
}

export function lateOf(saved: Json): LateCalls[] {
  const { group, uuids, waiting, answered, last } = objectIn(saved) ?? {};
  if (typeof group !== "string" || typeof last !== "string") return [];
  const ids = (value: Json | undefined) => new Set(listIn(value).flatMap((id) => filledIn(id) ?? []));
  return [{ group, calls: { uuids: ids(uuids), waiting: ids(waiting), answered: ids(answered), last } }];
}
