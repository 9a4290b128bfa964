import type { Json, JsonObject } from "../../../util/json.ts";
import { filledIn, listIn, objectIn, objectsIn } from "../../../util/values.ts";
import type { ConversationSink, Sink, SourceConversation, SourceRecord } from "../../contract/reader.ts";
import { unplaced } from "../shared/records.ts";
import { isSpoken } from "./message.ts";
import { Messages } from "./messages.ts";
import { unknownParts } from "./parts.ts";
import { aboutOf, promptTitle } from "./start.ts";

const QUIET_TYPES: ReadonlySet<unknown> = new Set(["info", "error", "warning"]);

/** One conversation of Gemini CLI, in either form. */
export class Recording {
  readonly messages: Messages;
  readonly #sink: Sink;
  readonly #start: SourceConversation;
  readonly #conversation: ConversationSink;
  #hasTitle: boolean;

  constructor(sink: Sink, start: SourceConversation, saved?: Json) {
    const { hasTitle, messages } = objectIn(saved) ?? {};
    this.#sink = sink;
    this.#start = start;
    this.#conversation = sink.conversation(start);
    this.messages = new Messages(this.#conversation, messages);
    this.#hasTitle = hasTitle === true || start.title !== undefined;
  }

  note(record: SourceRecord): void {
    this.#conversation.note(record);
  }

  message(value: JsonObject, record: SourceRecord): void {
    this.#look(value);
    this.messages.take(value, record);
  }

  /** Later metadata. A list of messages in it replaces all messages. */
  set(metadata: JsonObject, record: SourceRecord): void {
    const { summary, messages } = metadata;
    const title = filledIn(summary);
    const about = aboutOf(metadata);
    if (title !== undefined) this.#tell(title);
    if (about !== undefined) this.#conversation.update({ about: { ...this.#start.about, ...about } });
    if (Array.isArray(messages)) {
      for (const value of objectsIn(messages)) this.#look(value);
      this.messages.replace(objectsIn(messages), record);
    }
    this.note(record);
  }

  rewind(id: string, record: SourceRecord): void {
    this.messages.rewind(id);
    this.note(record);
  }

  state(): JsonObject {
    return { hasTitle: this.#hasTitle, messages: this.messages.state() };
  }

  #tell(title: string): void {
    this.#hasTitle = true;
    this.#conversation.update({ title });
  }

  /** Side effects of a message: a title, an unknown type. */
  #look(value: JsonObject): void {
    const { type, content } = value;
    if (!isSpoken(value) && !QUIET_TYPES.has(type))
      this.#sink.unknown(`message ${filledIn(type) ?? "(no type)"}`);
    for (const part of unknownParts(content)) this.#sink.unknown(part);
    const title = this.#hasTitle ? undefined : promptTitle(value);
    if (title !== undefined) this.#tell(title);
  }
}

/** The messages of a recording that is one document, each as a record. */
export function messagesOf({ messages }: JsonObject): SourceRecord[] {
  return listIn(messages).map(unplaced);
}
