import type { Json, JsonObject } from "../../../util/json.ts";
import { filledIn, jsonText, listIn, objectIn } from "../../../util/values.ts";
import { madeId } from "../../contract/ids.ts";
import type { ConversationSink, SourceRecord } from "../../contract/reader.ts";
import {
  addedOf,
  heldOf,
  type Item,
  idOf,
  itemOf,
  partOf,
  printOf,
  savedAdded,
  savedHeld,
  sizeOf,
} from "./item.ts";
import { entriesOf, isSpoken } from "./message.ts";
import { answeredIn } from "./parts.ts";

const ITEMS_MAX = 10_000;
const ITEMS_SAVED_MAX = 2_000;
/** How many of those are compared with later versions. */
const PRINTS_SAVED_MAX = 100;
const HELD_CHARS_MAX = 8_000_000;

/**
 * The messages of a recording, in their order.
 *
 * A message is written again whenever it grows, and all messages may be
 * replaced or removed from the end. So they are held as long as there is room,
 * and the last version is added. A version that is about to be removed or
 * replaced is added first, as a branch that ends there.
 */
export class Messages {
  readonly #sink: ConversationSink;
  readonly #byId: Map<string, Item> = new Map();
  #items: Item[] = [];
  /** The number of added items; the others follow them. */
  #added = 0;
  #heldChars = 0;
  /** Whether items before the first were forgotten. */
  #isCut = false;
  #model: string | undefined;

  constructor(sink: ConversationSink, saved?: Json) {
    this.#sink = sink;
    const { items, held, isCut } = objectIn(saved) ?? {};
    this.#isCut = isCut === true;
    for (const item of listIn(items).flatMap((one) => addedOf(one) ?? [])) this.#push(item);
    this.#added = this.#items.length;
    for (const item of listIn(held).flatMap((one) => heldOf(one) ?? [])) this.#push(item);
  }

  take(value: JsonObject, record: SourceRecord): void {
    const id = idOf(value);
    const known = this.#byId.get(id);
    if (known === undefined) this.#hold(itemOf(id, id), value, record);
    else if (!known.isAdded) this.#addVersion(known, value, record);
    else this.#addAgain(known, value, record);
  }

  /** Remove a message and all after it, or everything if the message is unknown. */
  rewind(id: string): void {
    this.flush();
    const item = this.#byId.get(id);
    this.#cutAt(item === undefined ? 0 : this.#items.indexOf(item));
    if (item === undefined) this.#isCut = false;
  }

  /** Replace the messages. Those at the same positions are the same. */
  replace(messages: readonly JsonObject[], record: SourceRecord): void {
    const ids = messages.map(idOf);
    // Forgotten messages are assumed to be unchanged, up to the first remembered one.
    const shift = this.#isCut ? Math.max(0, ids.indexOf(this.#items[0]?.id ?? "")) : 0;
    let same = 0;
    while (same < this.#items.length && this.#items[same]?.id === ids[shift + same]) same++;
    // Added messages stay unchanged: later versions are shortened for the model only.
    const last = this.#items.length - 1;
    for (let index = Math.min(this.#added, last); index >= 0 && index < same; index++) {
      this.#change(this.#items[index] as Item, messages[shift + index] as JsonObject, record);
    }
    if (same < this.#items.length) this.flush();
    const gone = this.#cutAt(same);
    if (same === 0) this.#isCut = false;
    for (const value of messages.slice(shift + same)) this.#takeReplaced(value, record, gone);
  }

  /** Add the messages that are held. */
  flush(): void {
    while (this.#added < this.#items.length) this.#addNext();
  }

  /** Add all but the last message, which may still grow. */
  flushFinished(): void {
    const last = this.#items.findLastIndex(({ versions }) => isSpoken(versions.at(-1)?.value ?? {}));
    while (this.#added < last) this.#addNext();
  }

  /** Show the last message, even if an earlier one was added again or the end was removed. */
  showLast(): void {
    const tail = this.#items[this.#added - 1]?.tail;
    if (typeof tail === "string") this.#sink.leaf(tail);
  }

  state(): JsonObject {
    const added = this.#items.slice(0, this.#added).slice(-ITEMS_SAVED_MAX);
    return {
      items: added.map((item, index) => savedAdded(item, index >= added.length - PRINTS_SAVED_MAX)),
      held: this.#items.slice(this.#added).map(savedHeld),
      isCut: this.#isCut || this.#added > ITEMS_SAVED_MAX,
    };
  }

  /** Another version of a message in the same place. */
  #change(item: Item, value: JsonObject, record: SourceRecord): void {
    if (item.isAdded) {
      // The list is kept anyway.
      if (item.print !== printOf(value)) this.#addAgain(item, value, partOf(value, item.entry, record));
      return;
    }
    const before = item.versions.at(-1)?.value ?? null;
    if (jsonText(before) !== jsonText(value))
      this.#addVersion(item, value, partOf(value, item.entry, record));
  }

  /** A message that has moved becomes a copy: the original belongs to the replaced messages. */
  #takeReplaced(value: JsonObject, record: SourceRecord, gone: ReadonlySet<string>): void {
    const id = idOf(value);
    if (this.#byId.has(id)) return;
    const entry = gone.has(id) ? madeId("gemini", id, this.#items.at(-1)?.entry ?? "") : id;
    this.#hold(itemOf(id, entry), value, partOf(value, entry, record));
  }

  #hold(item: Item, value: JsonObject, record: SourceRecord): void {
    this.#push(item);
    this.#addVersion(item, value, record);
    while (this.#heldChars > HELD_CHARS_MAX && this.#added < this.#items.length - 1) this.#addNext();
    if (this.#added > ITEMS_MAX) this.#forget(this.#added - (ITEMS_MAX >> 1));
  }

  #push(item: Item): void {
    this.#items.push(item);
    this.#byId.set(item.id, item);
    for (const { record } of item.versions) this.#heldChars += sizeOf(record);
  }

  #addVersion({ versions }: Item, value: JsonObject, record: SourceRecord): void {
    versions.push({ value, record });
    this.#heldChars += sizeOf(record);
  }

  /** A version that arrives after its message was added gets the same parent. */
  #addAgain(item: Item, value: JsonObject, record: SourceRecord): void {
    if (item.print === printOf(value)) {
      this.#sink.note(record);
      return;
    }
    this.#addVersion(item, value, record);
    this.#add(item, this.#items.indexOf(item));
  }

  #addNext(): void {
    const index = this.#added++;
    this.#add(this.#items[index] as Item, index);
  }

  #add(item: Item, index: number): void {
    const parent = index > 0 ? this.#items[index - 1]?.tail : this.#isCut ? undefined : null;
    const value = item.versions.at(-1)?.value ?? {};
    const records = item.versions.map(({ record }) => record);
    for (const record of records) this.#heldChars -= sizeOf(record);
    item.versions = [];
    item.isAdded = true;
    item.print = printOf(value);
    item.tail = isSpoken(value) ? this.#addEntries(item, index, parent, value, records) : parent;
    if (!isSpoken(value)) for (const record of records) this.#sink.note(record);
  }

  #addEntries(
    { entry: id }: Item,
    index: number,
    parent: string | null | undefined,
    value: JsonObject,
    records: readonly SourceRecord[],
  ): string | undefined {
    const next = this.#items[index + 1]?.versions.at(-1)?.value;
    const answeredLater = new Set(next?.type === "user" ? answeredIn(next.content) : []);
    const entries = entriesOf({ id, parent, value, records, answeredLater });
    for (const entry of entries) this.#sink.add(entry);
    this.#modelIs(filledIn(value.model));
    return entries.at(-1)?.id;
  }

  /** Remove the items from `index` on, and return the ids that no longer occur. */
  #cutAt(index: number): Set<string> {
    const gone = new Set(this.#items.slice(index).map(({ id }) => id));
    this.#items.length = index;
    this.#added = Math.min(this.#added, index);
    for (const id of gone) this.#byId.delete(id);
    return gone;
  }

  #forget(count: number): void {
    for (const { id } of this.#items.slice(0, count)) this.#byId.delete(id);
    this.#items = this.#items.slice(count);
    this.#added -= count;
    this.#isCut = true;
  }

  #modelIs(model: string | undefined): void {
    if (model === undefined || model === this.#model) return;
    this.#model = model;
    this.#sink.update({ model });
  }
}
