/**
 * Chats in the format of OpenAI's API, in files of many shapes: one conversation
 * per line (`{ messages }`, as for fine-tuning), one message per line, one
 * document `{ messages }`, an array of either.
 *
 * A file of bare messages is one conversation, identified by its path. A
 * conversation in a line is identified by its id, or else by its content.
 */
import { defined, type Json, type JsonObject } from "../../../util/json.ts";
import { filledIn, objectIn, objectsIn, timeIn } from "../../../util/values.ts";
import type { FormatWith } from "../../contract/format.ts";
import { madeId } from "../../contract/ids.ts";
import type {
  ConversationSink,
  RecordReader,
  Sink,
  SourceRecord,
  Surroundings,
} from "../../contract/reader.ts";
import { areChatLines, fingerprintOf, isChatMessage } from "../shared/chat-messages.ts";
import { headerOf, idIn } from "../shared/whole-tree-blocks.ts";
import { Chain } from "./chain.ts";

export const openaiChat: FormatWith<"lines" | "document"> = {
  name: "openai-chat",
  lines: {
    sniff: (records) => areChatLines(records, (record) => isConversation(record) || isChatMessage(record)),
    open: (sink, around, state) => linesReader(sink, around, state),
  },
  document: {
    sniff: (value) => isConversation(value) || isChatMessage(value),
    read(record, sink, around) {
      const value = objectIn(record.value);
      if (value !== undefined && isConversation(value)) {
        readConversation(value, record, sink, isAlone(record) ? madeId("file", around.path) : undefined);
      } else if (value !== undefined && isChatMessage(value)) {
        chainOf(sink, around, record).add(bareConversation(sink, around), value, record);
      } else sink.skip(record, "neither a message nor a conversation");
    },
  },
  isGeneric: true,
};

function isConversation({ messages, conversationId, sessionId, created_at }: JsonObject): boolean {
  if (!Array.isArray(messages) || conversationId !== undefined || sessionId !== undefined) return false;
  // Without a message, the time is a sign of another tool.
  if (messages.length === 0 && created_at !== undefined) return false;
  return messages.length === 0 || objectsIn(messages).some(isChatMessage);
}

function linesReader(sink: Sink, around: Surroundings, state: Json | undefined): RecordReader {
  const chain = new Chain(sink, state);
  return {
    record(record) {
      const value = objectIn(record.value);
      if (value !== undefined && isConversation(value)) readConversation(value, record, sink);
      else if (value !== undefined && isChatMessage(value)) {
        chain.add(bareConversation(sink, around), value, record);
      } else sink.skip(record, "neither a message nor a conversation");
    },
    end() {},
    state: () => chain.state(),
  };
}

/** A file with one conversation may grow and stays the same one. Elements of an array are treated as lines. */
function isAlone({ offset }: SourceRecord): boolean {
  return offset === null || offset === 0;
}

/** Of all that it says, though its messages, which are most of that, are hashed only once. */
function contentId(value: JsonObject, header: JsonObject, fingerprints: readonly string[]): string {
  const isAll = Array.isArray(value.messages) && value.messages.length === fingerprints.length;
  return madeId("line", fingerprintOf(isAll ? header : value), ...fingerprints);
}

/** `fileId`: for one that is not identified by its content. */
function readConversation(value: JsonObject, record: SourceRecord, sink: Sink, fileId?: string): void {
  const messages = objectsIn(value.messages);
  const fingerprints = messages.map(fingerprintOf);
  const header = headerOf(value, "messages");
  const target = sink.conversation({
    sourceId: idIn(value.id) ?? fileId ?? contentId(value, header, fingerprints),
    title: filledIn(value.title),
    model: filledIn(value.model),
    createdAt: timeIn(value.created_at) ?? timeIn(value.created),
  });
  const { line, offset } = record;
  // Tools and settings of a request belong to the conversation.
  if (Object.keys(header).length > 0) target.note({ value: header, line, offset });
  const chain = new Chain(sink);
  for (const [index, message] of messages.entries())
    chain.add(target, message, { value: message, line, offset }, fingerprints[index]);
}

function bareConversation(sink: Sink, { path }: Surroundings): ConversationSink {
  return sink.conversation({
    sourceId: madeId("file", path),
    about: defined({ file: path.split("/").at(-1) }),
  });
}

interface Reading {
  readonly chain: Chain;
  readonly offset: number;
}

/** The messages of an array come one by one: the progress in each file, by sink. */
const readings = new WeakMap<Sink, Map<string, Reading>>();

function chainOf(sink: Sink, { path }: Surroundings, { offset }: SourceRecord): Chain {
  const files = readings.get(sink) ?? new Map<string, Reading>();
  readings.set(sink, files);
  const before = files.get(path);
  const at = offset ?? before?.offset ?? 0;
  // An earlier offset means that the file is being read again.
  const isAgain = before !== undefined && offset !== null && offset <= before.offset;
  const chain = before === undefined || isAgain ? new Chain(sink) : before.chain;
  files.set(path, { chain, offset: at });
  return chain;
}
