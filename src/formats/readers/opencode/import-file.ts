/** What was kept of a session, in the form that `opencode import` reads. */
import { defined, type Json, type JsonObject } from "../../../util/json.ts";
import { filledIn, objectIn, objectsIn, parsedIn, textIn } from "../../../util/values.ts";

/** `undefined` if the session or its messages are not among them. */
export function importFile(kept: readonly JsonObject[]): JsonObject | undefined {
  return kept.some(({ table }) => table !== undefined) ? ofRows(kept) : ofFiles(kept);
}

function ofRows(kept: readonly JsonObject[]): JsonObject | undefined {
  const [session] = rowsOf(kept, "session");
  const messages = rowsOf(kept, "message");
  if (session === undefined || messages.length === 0) return undefined;
  const parts = Map.groupBy(rowsOf(kept, "part"), ({ message_id: message }) => message);
  return {
    info: infoOf(session),
    messages: messages.map((row) => ({
      info: { ...dataOf(row), id: row.id ?? null, sessionID: row.session_id ?? null },
      parts: (parts.get(row.id) ?? []).map((part) => ({
        ...{ ...dataOf(part), id: part.id ?? null },
        ...{ sessionID: part.session_id ?? null, messageID: part.message_id ?? null },
      })),
    })),
  };
}

/** The JSON files of older versions hold the same values, one each. */
function ofFiles(kept: readonly JsonObject[]): JsonObject | undefined {
  const all = kept.map(({ text }) => objectIn(parsedIn(text)) ?? {});
  const messages = lastVersions(all.filter(({ role }) => filledIn(role) !== undefined));
  const parts = Map.groupBy(
    lastVersions(all.filter(({ messageID }) => filledIn(messageID) !== undefined)),
    ({ messageID }) => messageID,
  );
  const info = all.findLast(
    ({ title, role, messageID }) =>
      typeof title === "string" && role === undefined && messageID === undefined,
  );
  if (info === undefined || messages.length === 0) return undefined;
  return {
    info,
    messages: messages.map(({ parts: own, ...message }) => ({
      info: message,
      parts: parts.get(message.id ?? null) ?? objectsIn(own),
    })),
  };
}

function rowsOf(kept: readonly JsonObject[], wanted: string): JsonObject[] {
  return lastVersions(kept.filter(({ table }) => table === wanted).map(({ row }) => objectIn(row) ?? {}));
}

/** In the order of opencode. Of what was changed, the last version counts. */
function lastVersions(values: readonly JsonObject[]): JsonObject[] {
  const last = new Map(values.map((value) => [textIn(value.id) ?? "", value]));
  return [...last].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, value]) => value);
}

function dataOf({ data }: JsonObject): JsonObject {
  return objectIn(parsedIn(data)) ?? {};
}

function infoOf(row: JsonObject): JsonObject {
  const has = (name: string): boolean => row[name] !== null && row[name] !== undefined;
  const json = (name: string): Json | undefined => (has(name) ? (parsedIn(row[name]) as Json) : undefined);
  const plain = (name: string): Json | undefined => (has(name) ? row[name] : undefined);
  return defined({
    ...{ id: row.id, slug: plain("slug"), projectID: row.project_id, workspaceID: plain("workspace_id") },
    ...{ parentID: plain("parent_id"), directory: row.directory, path: plain("path"), title: row.title },
    ...{ agent: plain("agent"), model: json("model"), version: row.version, metadata: json("metadata") },
    ...{ revert: json("revert"), permission: json("permission"), cost: plain("cost") },
    share: has("share_url") ? { url: row.share_url as Json } : undefined,
    summary: has("summary_files")
      ? defined({
          ...{ additions: plain("summary_additions"), deletions: plain("summary_deletions") },
          ...{ files: plain("summary_files"), diffs: json("summary_diffs") },
        })
      : undefined,
    tokens: has("tokens_input")
      ? defined({
          ...{ input: plain("tokens_input"), output: plain("tokens_output") },
          reasoning: plain("tokens_reasoning"),
          cache: defined({ read: plain("tokens_cache_read"), write: plain("tokens_cache_write") }),
        })
      : undefined,
    time: defined({
      ...{ created: plain("time_created"), updated: plain("time_updated") },
      ...{ compacting: plain("time_compacting"), archived: plain("time_archived") },
    }),
  }) as JsonObject;
}
