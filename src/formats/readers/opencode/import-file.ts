/** The rows of a session, in the form that `opencode import` reads. */
import { defined, type Json, type JsonObject } from "../../../util/json.ts";
import { objectIn, parsedIn, textIn } from "../../../util/values.ts";

/** `undefined` if the session or its messages are not among them. */
export function importFile(kept: readonly JsonObject[]): JsonObject | undefined {
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

/** In the order of opencode. Of a row that was changed, the last version counts. */
function rowsOf(kept: readonly JsonObject[], wanted: string): JsonObject[] {
  const rows = kept.filter(({ table }) => table === wanted).map(({ row }) => objectIn(row) ?? {});
  const last = new Map(rows.map((row) => [textIn(row.id) ?? "", row]));
  return [...last].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
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
