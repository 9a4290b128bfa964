/**
 * Messages that have no ids, one after the other.
 *
 * The id of each is made of its content and of the message before it. So the
 * same message may come twice, a file that has grown has the same ids up to
 * its old end, and one that was changed parts from the old one where it
 * differs.
 */
import type { Json, JsonObject } from "../../../util/json.ts";
import { madeId } from "../../contract/ids.ts";
import type { ConversationSink, Sink, SourceRecord } from "../../contract/reader.ts";
import { objectIn, objectsIn, textIn } from "../../contract/values.ts";
import { fingerprintOf, type OpenCall, placeRecord } from "../shared/chat-messages.ts";
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

  add(target: ConversationSink, message: JsonObject, record: SourceRecord): void {
    const before = this.#last;
    const id = madeId("message", before ?? "", fingerprintOf(message));
    const read = readMessage(message, id, this.#open, this.#sink);
    this.#open = read.open;
    this.#last = id;
    target.add({ id, parent: before, message: read.message, records: [record, placeRecord(before)] });
  }

  /** Where it continues in a file that has grown. */
  state(): Json {
    return { last: this.#last, open: this.#open.map(({ id, name }) => ({ id, name })) };
  }
}
