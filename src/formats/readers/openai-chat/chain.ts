/**
 * Messages that have no ids, one after the other.
 *
 * Each id is made from the content and the previous message. So the same
 * message may occur twice, a file that has grown keeps its ids, and a file that
 * was changed becomes a branch where it differs.
 */
import type { Json, JsonObject } from "../../../util/json.ts";
import { objectIn, objectsIn, textIn } from "../../../util/values.ts";
import { madeId } from "../../contract/ids.ts";
import type { ConversationSink, Sink, SourceRecord } from "../../contract/reader.ts";
import { fingerprintOf, type OpenCall } from "../shared/chat-messages.ts";
import { readMessage } from "./message.ts";

export class Chain {
  readonly #sink: Sink;
  #last: string | null;
  /** Calls without ids that no result has answered. */
  #open: readonly OpenCall[];

  constructor(sink: Sink, state?: Json) {
    const saved = objectIn(state);
    this.#sink = sink;
    this.#last = textIn(saved?.last) ?? null;
    this.#open = objectsIn(saved?.open).map(({ id, name }) => ({
      id: textIn(id) ?? "",
      name: textIn(name) ?? "",
    }));
  }

  add(
    target: ConversationSink,
    message: JsonObject,
    record: SourceRecord,
    fingerprint: string = fingerprintOf(message),
  ): void {
    const before = this.#last;
    const id = madeId("message", before ?? "", fingerprint);
    const read = readMessage(message, id, this.#open, this.#sink);
    this.#open = read.open;
    this.#last = id;
    target.add({ id, parent: before, message: read.message, records: [record] });
  }

  /** Where it continues in a file that has grown. */
  state(): Json {
    return { last: this.#last, open: this.#open.map(({ id, name }) => ({ id, name })) };
  }
}
