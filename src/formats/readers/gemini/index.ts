/**
 * Recordings of Gemini CLI: a log of messages and of changes to them, one a
 * line, or in early versions the whole conversation as one document. Both
 * produce the same entries, so that a conversation that was continued in the
 * later form is not stored twice.
 */
import { join } from "node:path";
import { defined, type JsonObject } from "../../../util/json.ts";
import { filledIn, objectIn } from "../../../util/values.ts";
import type { FormatWith } from "../../contract/format.ts";
import { stemOf } from "../shared/file-name.ts";
import { GeminiReader } from "./reader.ts";
import { messagesOf, Recording } from "./recording.ts";
import { geminiResume } from "./resume.ts";
import { startOf } from "./start.ts";

export const gemini: FormatWith<"lines" | "document"> = {
  name: "gemini",
  lines: {
    sniff: (records) => records.some((record) => isLine(record)),
    open: (sink, around, state) => new GeminiReader(sink, around, state),
  },
  document: {
    sniff: (value) => isMetadata(value) && Array.isArray(value.messages),
    read(record, sink, { path }) {
      const { messages, ...metadata } = objectIn(record.value) ?? {};
      const start = startOf(metadata, filledIn(metadata.sessionId) ?? stemOf(path), path);
      const recording = new Recording(sink, start);
      recording.note({ value: defined(metadata), line: record.line, offset: record.offset });
      for (const message of messagesOf({ messages: messages ?? [] })) {
        const value = objectIn(message.value);
        if (value === undefined) recording.note(message);
        else recording.message(value, message);
      }
      recording.messages.flush();
      recording.messages.showLast();
    },
  },
  home: { folders: [".gemini", ".gemini/tmp"] },
  resume: geminiResume,
  usualPlaces: ({ home }) => [{ tool: "Gemini CLI", path: join(home, ".gemini", "tmp") }],
};

/** Any line is enough, because the metadata may be lost. */
function isLine(record: JsonObject): boolean {
  if (isMetadata(record)) return record.messages === undefined;
  return typeof record.$rewindTo === "string" || objectIn(record.$set) !== undefined || isMessage(record);
}

function isMessage(record: JsonObject): boolean {
  const { id, type, timestamp, content } = record;
  if (!TYPES.has(type) || typeof timestamp !== "string" || content === undefined) return false;
  if (FOREIGN_PROPERTIES.some((name) => record[name] !== undefined)) return false;
  return type === "gemini" || typeof id === "string";
}

const TYPES: ReadonlySet<unknown> = new Set(["user", "gemini", "info", "error", "warning"]);
/** Messages with these properties belong to other programs. */
const FOREIGN_PROPERTIES = ["role", "uuid", "parentId", "parent_id", "sessionId", "payload", "message"];

function isMetadata({ sessionId, projectHash }: JsonObject): boolean {
  return typeof sessionId === "string" && typeof projectHash === "string";
}
