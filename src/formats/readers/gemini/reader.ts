import { defined, type Json, type JsonObject } from "../../../util/json.ts";
import { filledIn, listIn, objectIn } from "../../../util/values.ts";
import type {
  RecordReader,
  Sink,
  SourceConversation,
  SourceRecord,
  Surroundings,
} from "../../contract/reader.ts";
import { stemOf } from "../shared/file-name.ts";
import { loadRecord, loadStart, saveRecord, saveStart, withinLimit } from "../shared/saved-state.ts";
import { Recording } from "./recording.ts";
import { startOf } from "./start.ts";

/** The metadata come first. After this many lines without them, they are assumed lost. */
const EARLY_MAX = 100;

/** Reads a recording line by line: metadata first, then messages and changes to both. */
export class GeminiReader implements RecordReader {
  readonly #sink: Sink;
  readonly #path: string;
  #start: SourceConversation | undefined;
  #recording: Recording | undefined;
  /** Records before the metadata, which identify the conversation. */
  #early: SourceRecord[] = [];

  constructor(sink: Sink, { path }: Surroundings, saved: Json | undefined) {
    const { start, recording, early } = objectIn(saved) ?? {};
    this.#sink = sink;
    this.#path = path;
    this.#early = listIn(early).flatMap((item) => loadRecord(item) ?? []);
    const known = loadStart(start);
    if (known !== undefined) this.#open(known, recording);
  }

  record(record: SourceRecord): void {
    const value = objectIn(record.value);
    if (value === undefined) this.#sink.skip(record, "not an object");
    else if (this.#recording !== undefined) this.#take(value, record, this.#recording);
    else this.#first(value, record);
  }

  end(final: boolean): void {
    if (final && this.#recording === undefined && this.#early.length > 0) {
      this.#begin({ sourceId: stemOf(this.#path) });
    }
    if (final) this.#recording?.messages.flushAtEnd();
    else this.#recording?.messages.flushFinished();
    this.#recording?.messages.showLast();
  }

  state(): Json | undefined {
    return withinLimit({
      early: this.#early.map(saveRecord),
      ...defined({
        start: this.#start && saveStart(this.#start),
        recording: this.#recording?.state(),
      }),
    });
  }

  #first(value: JsonObject, record: SourceRecord): void {
    const sessionId = filledIn(value.sessionId) ?? filledIn(objectIn(value.$set)?.sessionId);
    this.#early.push(record);
    if (sessionId !== undefined) this.#begin(startOf(value, sessionId, this.#path));
    else if (this.#early.length > EARLY_MAX) this.#begin({ sourceId: stemOf(this.#path) });
  }

  #begin(start: SourceConversation): void {
    const recording = this.#open(start);
    const early = this.#early;
    this.#early = [];
    for (const record of early) this.#take(objectIn(record.value) ?? {}, record, recording);
  }

  #open(start: SourceConversation, saved?: Json): Recording {
    this.#start = start;
    this.#recording = new Recording(this.#sink, start, saved);
    return this.#recording;
  }

  #take(value: JsonObject, record: SourceRecord, recording: Recording): void {
    const metadata = objectIn(value.$set);
    if (typeof value.$rewindTo === "string") recording.rewind(value.$rewindTo, record);
    else if (typeof value.id === "string") recording.message(value, record);
    else if (metadata !== undefined) recording.set(metadata, record);
    else if (typeof value.sessionId === "string") recording.set(value, record);
    else if (typeof value.type === "string") recording.message(value, record);
    else {
      this.#sink.unknown(Object.keys(value)[0] ?? "(empty)");
      recording.note(record);
    }
  }
}
