import type { Json, JsonObject } from "../../../util/json.ts";
import { numberIn, objectIn, objectsIn, parsedIn, textIn, timeIn } from "../../../util/values.ts";
import type { BaseFile } from "../../contract/format.ts";
import type { RecordReader, Sink, SourceRecord } from "../../contract/reader.ts";
import { takeEvent } from "./events.ts";
import { conversationOf, historyBase, rolloutOf } from "./meta.ts";
import { takeBare, takeTyped } from "./records.ts";
import { CodexSession } from "./session.ts";
import { isBareHeader, isTyped } from "./sniff.ts";

/** The maximum size of held records in the state. Beyond it the file is read from its beginning. */
const HELD_CHARS_MAX = 256 * 1024;

export class CodexReader implements RecordReader {
  readonly #sink: Sink;
  readonly #path: string;
  /** What is known of the file that this one continues. */
  readonly #base: BaseFile | undefined;
  #session: CodexSession | undefined;

  constructor(sink: Sink, path: string, state: Json | undefined, base?: BaseFile) {
    this.#sink = sink;
    this.#path = path;
    this.#base = base;
    const known = objectIn(state) ?? {};
    this.#session = CodexSession.restored(sink, known);
    for (const { line, offset, text } of objectsIn(known.held)) {
      const place = { line: numberIn(line) ?? null, offset: numberIn(offset) ?? null };
      this.record({ ...place, value: parsedIn(text) ?? null, text: textIn(text) ?? "" });
    }
  }

  record(record: SourceRecord): void {
    const value = objectIn(record.value);
    if (value === undefined) this.#sink.skip(record, "not an object");
    else if (isBareHeader(value)) this.begin(record, value, true);
    else if (value.type === "session_meta" && isTyped(value))
      this.begin(record, objectIn(value.payload), false);
    else this.#take(this.#session ?? this.#open({}, !isTyped(value)), record, value);
  }

  /** The first description is that of the file; a fork also repeats the one of its origin. */
  begin(record: SourceRecord, meta: JsonObject | undefined, isBare: boolean): void {
    const session = this.#session ?? this.#open(meta ?? {}, isBare);
    session.step.note(record);
  }

  end(final: boolean): void {
    if (final) this.#session?.step.flush();
    this.#session?.showLast();
  }

  state(): Json | undefined {
    if (this.#session === undefined) return undefined;
    const held = this.#session.step.records.map(({ line, offset, text, value }) => ({
      line,
      offset,
      text: text ?? JSON.stringify(value),
    }));
    const chars = held.reduce((sum, { text }) => sum + text.length, 0);
    return chars > HELD_CHARS_MAX ? undefined : { ...this.#session.state(), held };
  }

  /** How a file that continues this one goes on. */
  facts(): JsonObject {
    return this.#session?.facts() ?? {};
  }

  #open(meta: JsonObject, isBare: boolean): CodexSession {
    const known = this.#base?.facts ?? {};
    const base = known.chain === undefined ? historyBase(meta) : undefined;
    const conversation = conversationOf(meta, this.#path, this.#base?.root);
    this.#sink.offer(rolloutOf(this.#path));
    if (base !== undefined) this.#sink.unresolved(`earlier part of ${conversation.sourceId}: ${base}`);
    this.#session = new CodexSession(this.#sink, { conversation, base, isBare }, known);
    return this.#session;
  }

  #take(session: CodexSession, record: SourceRecord, value: JsonObject): void {
    if (!isTyped(value)) {
      if (value.record_type === undefined) takeBare(session, record, value);
      else session.step.note(record);
    } else if (value.type === "event_msg") {
      takeEvent(session, record, objectIn(value.payload) ?? {}, timeIn(value.timestamp));
    } else {
      takeTyped(session, record, value);
    }
  }
}
