/** The metadata of a Codex file. */
import { defined, type JsonObject } from "../../../util/json.ts";
import { filledIn, numberIn, objectIn, timeIn } from "../../../util/values.ts";
import { madeId } from "../../contract/ids.ts";
import type { SourceConversation } from "../../contract/reader.ts";

const UUID = /[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/gi;

/** A conversation without a first record: the file's name has the thread's id. */
function threadOf(path: string): string {
  const name = nameOf(path);
  return name.match(UUID)?.[0] ?? madeId("codex", name);
}

/** The id of a rollout: that of its thread, or the one behind it if the thread went back. */
export function rolloutOf(path: string): string {
  const name = nameOf(path);
  return name.match(UUID)?.at(-1) ?? madeId("codex", name);
}

function nameOf(path: string): string {
  return path.split(/[\\/]/).at(-1) ?? path;
}

/**
 * The conversation that `session_meta` or the first line of an early file describes. The root of a fork is known if
 * the rollout that it continues was found. One that does not repeat that rollout is a separate conversation otherwise.
 */
export function conversationOf(
  meta: JsonObject,
  path: string,
  knownRoot: string | undefined,
): SourceConversation {
  const sourceId = filledIn(meta.id) ?? threadOf(path);
  const spawn = spawnOf(meta);
  const parent = parentThread(meta);
  const agent = filledIn(spawn?.agent_nickname) ?? filledIn(spawn?.agent_role);
  const isPart = objectIn(meta.history_base) !== undefined;
  const alone = isPart ? rolloutOf(path) : filledIn(meta.forked_from_id);
  const root = knownRoot ?? (parent === undefined ? alone : undefined) ?? sourceId;
  return {
    sourceId,
    // A sub-agent may begin with the lines of its parent, but is a separate conversation.
    root,
    // The key is that of the thread that was forked, whichever file is read first.
    ...(root === sourceId ? {} : { key: `codex:${root}` }),
    createdAt: timeIn(meta.timestamp),
    ...(parent !== undefined && { parent: { sourceId: parent, agent } }),
    ...(isArchived(path) && { isHidden: true }),
    about: aboutOf(meta, path),
  };
}

/** The thread that started this one as a sub-agent. */
export function parentThread(meta: JsonObject): string | undefined {
  return filledIn(spawnOf(meta)?.parent_thread_id) ?? filledIn(meta.parent_thread_id);
}

function spawnOf({ source }: JsonObject): JsonObject | undefined {
  return objectIn(objectIn(objectIn(source)?.subagent)?.thread_spawn);
}

function aboutOf(meta: JsonObject, path: string): JsonObject {
  const git = objectIn(meta.git);
  return defined({
    cwd: filledIn(meta.cwd),
    version: filledIn(meta.cli_version),
    originator: filledIn(meta.originator),
    source: meta.source ?? undefined,
    provider: filledIn(meta.model_provider),
    git_branch: filledIn(git?.branch),
    git_commit: filledIn(git?.commit_hash),
    repository: filledIn(git?.repository_url),
    forked_from: filledIn(meta.forked_from_id),
    history_base: objectIn(meta.history_base),
    archived: isArchived(path) ? true : undefined,
  });
}

/** Codex moves a thread that the user archived to another folder, and lists it no more. */
function isArchived(path: string): boolean {
  return /(^|[\\/])archived_sessions[\\/]/.test(path);
}

/** The part of another file that this file continues, if it does. */
export function historyBase(meta: JsonObject): string | undefined {
  const base = objectIn(meta.history_base);
  const id = filledIn(base?.thread_id);
  if (id === undefined) return undefined;
  return `${id}:${numberIn(base?.end_ordinal_exclusive) ?? numberIn(base?.end_byte_offset) ?? 0}`;
}
