/**
 * Conversations of PersonalAgent: lines with `ts`, thinking and tools beside a
 * text, and the later file that is one JSON value, with tools as JSON texts.
 */
import { join } from "node:path";
import { FlatTools } from "../../../message/apis/flat-tools.ts";
import { type Json, type JsonObject, someDefined } from "../../../util/json.ts";
import { filledIn, listIn, objectIn, objectsIn, parsedIn } from "../../../util/values.ts";
import type { Describe, FormatWith } from "../../contract/format.ts";
import { madeId } from "../../contract/ids.ts";
import type { SourceConversation } from "../../contract/reader.ts";
import { stemOf } from "../shared/file-name.ts";
import { addFlatMessage } from "../shared/flat-message.ts";
import { type FlatLines, FlatReader } from "../shared/flat-reader.ts";
import { unplaced } from "../shared/records.ts";
import { statedIn } from "../shared/stated.ts";

const LINES: FlatLines = { format: "personal-agent", sourceId: stemOf };

const FOLDER = ["Library", "Application Support", "PersonalAgent", "conversations"];

export const personalAgent: FormatWith<"lines" | "document"> = {
  name: LINES.format,
  lines: {
    sniff: (records) =>
      records.some(
        ({ role, content, ts }) => filledIn(role) !== undefined && content !== undefined && ts !== undefined,
      ),
    open: (sink, around, state) => new FlatReader(LINES, sink, around, state),
  },
  document: {
    sniff: ({ messages, created_at, title, profile_id }) => {
      const list = objectsIn(messages);
      const named = created_at !== undefined && (title !== undefined || profile_id !== undefined);
      return named ? Array.isArray(messages) && list.every(isLater) : list.some(isOwn);
    },
    read(record, sink, around) {
      const value = objectIn(record.value);
      if (value === undefined) {
        sink.skip(record, "not an object");
        return;
      }
      const { messages: _messages, ...rest } = value;
      const sourceId = filledIn(value.id) ?? stemOf(around.path);
      const conversation = sink.conversation({ sourceId, ...personalAgentMetadata(rest) });
      conversation.note({ ...record, value: rest, text: JSON.stringify(rest) });
      const target = { format: LINES.format, sink, conversation, tools: new FlatTools() };
      for (const [position, message] of listIn(value.messages).entries()) {
        const own = unplaced(message);
        const line = objectIn(message);
        if (line === undefined) conversation.note(own);
        else addFlatMessage(line, own, filledIn(line.id) ?? madeId(sourceId, position), target);
      }
    },
  },
  companions: /\.meta\.json$/,
  usualPlaces: ({ home }) => [{ tool: "PersonalAgent", path: join(home, ...FOLDER) }],
  sideFile: {
    names: (transcript) => [`${stemOf(transcript)}.meta.json`],
    read: describeConversation,
  },
};

function isLater(message: JsonObject): boolean {
  return message.role !== undefined && (message.timestamp !== undefined || message.ts !== undefined);
}

function isOwn(message: JsonObject): boolean {
  return isLater(message) && (message.thinking_content !== undefined || message.model_id !== undefined);
}

/** The metadata in `<name>.meta.json`, or around the messages of a document. */
function personalAgentMetadata(value: Json | undefined): Omit<SourceConversation, "sourceId"> {
  const meta = objectIn(value) ?? {};
  const about = someDefined({ id: meta.id });
  return {
    ...statedIn(meta),
    about,
  };
}

/** What `<name>.meta.json` adds. */
function describeConversation(text: string): Describe {
  const metadata = personalAgentMetadata(parsedIn(text));
  return (start) => ({ ...start, ...metadata });
}
