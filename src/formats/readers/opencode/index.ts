/**
 * Sessions of opencode: the JSON files that it wrote once, one for each
 * session, message and part, the output of its `export`, and its database.
 *
 * Of the files only those of sessions are read as such; they lead to the
 * others. The files of messages and parts, projects, to-do lists and diffs are
 * known. Where the file of a session is missing, the first of its messages
 * replaces it, so that only the title is lost.
 */
import { join } from "node:path";
import type { JsonObject } from "../../../util/json.ts";
import { filledIn, numberIn, objectIn, objectsIn } from "../../../util/values.ts";
import type { Findings, FormatWith } from "../../contract/format.ts";
import type { Sink, SourceRecord, Surroundings } from "../../contract/reader.ts";
import { partOf } from "../shared/records.ts";
import { isOpencodeDatabase, readDatabase } from "./database.ts";
import { Records } from "./records.ts";
import { opencodeResume } from "./resume.ts";
import { SessionReader } from "./session.ts";
import { hasMessageFile, hasSessionFile, isFirstInFolder, readTree, sessionRoot } from "./tree.ts";

export const opencode: FormatWith<"document" | "database"> = {
  name: "opencode",
  document: {
    isScattered: true,
    sniff: (value) => kindOf(value) !== undefined,
    async *read(record, sink, around, findings) {
      const value = objectIn(record.value) ?? {};
      switch (kindOf(value)) {
        case "session":
          return yield* readTree(value, record, await sessionRoot(value, around), sink, around);
        case "export":
          return readExport(value, record, sink);
        case "message":
          return yield* standIn(value, sink, around, findings);
        case "part":
          return missMessage(value, sink, around, findings);
        case "other":
          return;
        default:
          sink.skip(record, "not a session");
      }
    },
  },
  database: {
    sniff: isOpencodeDatabase,
    read: readDatabase,
  },
  home: { folders: [".local/share/opencode"] },
  resume: opencodeResume,
  usualPlaces: ({ data }) => [{ tool: "opencode", path: join(data, "opencode") }],
};

type Kind = "session" | "export" | "message" | "part" | "other";

function kindOf(value: JsonObject): Kind | undefined {
  const has = (...members: readonly string[]): boolean =>
    members.every((name) => filledIn(value[name]) !== undefined);
  if (isSession(objectIn(value.info) ?? {}) && Array.isArray(value.messages)) return "export";
  if (has("id", "messageID", "sessionID", "type")) return "part";
  if (
    has("id", "role") &&
    (has("sessionID") || has2(value.metadata, "sessionID")) &&
    value.content === undefined
  ) {
    return "message";
  }
  if (isSession(value)) return "session";
  const isProject = has("id", "worktree") && objectIn(value.time) !== undefined;
  const isTodo = has("content", "status", "priority");
  const isDiff =
    has("file") && numberIn(value.additions) !== undefined && numberIn(value.deletions) !== undefined;
  return isProject || isTodo || isDiff ? "other" : undefined;
}

function has2(value: unknown, member: string): boolean {
  return filledIn(objectIn(value)?.[member]) !== undefined;
}

function isSession(value: JsonObject): boolean {
  const { id, time, title, version, projectID, directory, worktree, messages } = value;
  const isPlaced = [version, projectID, directory].some((member) => typeof member === "string");
  const isTimed = numberIn(objectIn(time)?.created) !== undefined;
  return (
    filledIn(id) !== undefined && isTimed && typeof title === "string" && isPlaced && !worktree && !messages
  );
}

function readExport({ info, messages }: JsonObject, record: SourceRecord, sink: Sink): void {
  const records = new Records();
  const known = (value: JsonObject): JsonObject => records.set(value, [partOf(record, value)]);
  const reader = new SessionReader(sink, known(objectIn(info) ?? {}), records, false);
  for (const { info: message, parts } of objectsIn(messages)) {
    const value = objectIn(message);
    if (value !== undefined) reader.add({ value: known(value), parts: objectsIn(parts).map(known) });
  }
  reader.finish();
}

async function* standIn(
  value: JsonObject,
  sink: Sink,
  around: Surroundings,
  findings: Findings,
): AsyncGenerator<number> {
  const id = filledIn(value.sessionID) ?? filledIn(objectIn(value.metadata)?.sessionID) ?? "";
  if (!(await isFirstInFolder(around, findings)) || (await hasSessionFile(id, around))) return;
  sink.unresolved(`session ${id}`);
  yield* readTree({ id }, undefined, "../..", sink, around);
}

async function missMessage(
  value: JsonObject,
  sink: Sink,
  around: Surroundings,
  findings: Findings,
): Promise<void> {
  const [message, session] = [filledIn(value.messageID) ?? "", filledIn(value.sessionID) ?? ""];
  if (!(await isFirstInFolder(around, findings)) || (await hasMessageFile(session, message, around))) return;
  sink.unresolved(`message ${message}`);
}
