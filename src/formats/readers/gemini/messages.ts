import type { Json, JsonObject } from "../../../util/json.ts";
import { filledIn, listIn, numberIn, objectIn } from "../../../util/values.ts";
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
import {
  callEntries,
  entriesOf,
  hasCalls,
  isContext,
  isEmptyAnswer,
  isSpoken,
  resultsOf,
} from "./message.ts";
import { answeredBy, onlyAnswers } from "./parts.ts";

const ITEMS_MAX = 10_000;
const ITEMS_SAVED_MAX = 2_000;
/** How many of those are compared with later versions. */
const PRINTS_SAVED_MAX = 100;
const CALLS_SAVED_MAX = 500;
const NOTICES_SAVED_MAX = 500;
const HELD_CHARS_MAX = 8_000_000;

/**
 * The messages of a recording, in their order.
 *
 * A message is written again whenever it grows, and all messages may be
 * replaced or removed from the end. So they are held as long as there is room,
 * and the last version is added. A version that is about to be removed or
 * replaced is added first, as a branch that ends there.
 *
 * Every resume replaces the messages by those that it found, in the form in
 * which they are sent to the model. A message that comes back to its place is
 * the one that was there. Notices of the program, such as `info`, are in no
 * such list, so they are not among the messages.
 */
export class Messages {
  readonly #sink: ConversationSink;
  readonly #byId: Map<string, Item> = new Map();
  #items: Item[] = [];
  /** Messages that were removed, by id. */
  readonly #former: Map<string, Item> = new Map();
  /** Notices of the program, each with the message before it: a rewind may name one. */
  readonly #notices: Map<string, string> = new Map();
  /** Calls whose results are known, and those whose results were added with the message of the call. */
  readonly #answered: Set<string> = new Set();
  readonly #resulted: Set<string> = new Set();
  /** The number of added items; the others follow them. */
  #added = 0;
  #heldChars = 0;
  /** Whether items before the first were forgotten. */
  #isCut = false;
  #model: string | undefined;

  constructor(sink: ConversationSink, saved?: Json) {
    this.#sink = sink;
    const { items, held, isCut, contexts, notices, answered, resulted } = objectIn(saved) ?? {};
    this.#isCut = isCut === true;
    for (const [id, before] of listIn(notices).map(listIn)) this.#notices.set(String(id), String(before));
    for (const id of listIn(answered)) this.#answered.add(String(id));
    for (const id of listIn(resulted)) this.#resulted.add(String(id));
    for (const item of listIn(items).flatMap((one) => addedOf(one) ?? [])) this.#push(item);
    this.#added = this.#items.length;
    // Earlier states do not say how many: the program begins with one.
    const context = numberIn(contexts) ?? (this.#isCut ? 0 : 1);
    for (const item of this.#items.slice(0, context)) item.isContext = true;
    for (const item of listIn(held).flatMap((one) => heldOf(one) ?? [])) {
      // Earlier states also hold notices.
      if (item.versions.some(({ value }) => isSpoken(value))) this.#push(item);
      else this.#note(item);
    }
  }

  take(value: JsonObject, record: SourceRecord): void {
    const id = idOf(value);
    const known = this.#byId.get(id);
    if (!isSpoken(value)) this.#notice(id, record);
    else if (known === undefined) this.#hold(itemOf(id, id), value, record);
    else if (!known.isAdded) this.#addVersion(known, value, record);
    else this.#addAgain(known, value, record);
  }

  #notice(id: string, record: SourceRecord): void {
    const before = this.#items.at(-1)?.id;
    if (before !== undefined && !this.#notices.has(id)) this.#notices.set(id, before);
    this.#sink.note(record);
  }

  /** Remove a message and all after it, or everything if the message is unknown. */
  rewind(id: string): void {
    this.flush();
    const before = this.#notices.get(id);
    const item = this.#byId.get(before ?? id);
    this.#cutAt(item === undefined ? 0 : this.#items.indexOf(item) + (before === undefined ? 0 : 1));
    if (item === undefined) this.#isCut = false;
  }

  /** Replace the messages. Those that are known stay as they are: here they are in a form for the model. */
  replace(messages: readonly JsonObject[], record: SourceRecord): void {
    const listed = messages.filter((value) => isSpoken(value) && !this.#isRepeatedAnswer(value));
    // A resume begins with the context alone. The list of all messages follows, perhaps after an import.
    const isBeginning = listed.length > 0 && listed.every(isContext);
    if (isBeginning && this.#items.some((item) => !item.isContext)) return;
    const ids = listed.map(idOf);
    // Forgotten messages are assumed to be unchanged, up to the first remembered one.
    const shift = this.#isCut ? Math.max(0, ids.indexOf(this.#items[0]?.id ?? "")) : 0;
    const skipped = this.#contextBefore(ids[0] ?? "");
    let same = 0;
    while (this.#isAt(skipped + same, ids[shift + same])) same++;
    if (skipped + same < this.#items.length) this.flush();
    this.#cutAt(skipped + same);
    if (skipped + same === 0) this.#isCut = false;
    for (const value of listed.slice(shift + same)) this.#takeReplaced(value, record);
  }

  #isAt(index: number, id: string | undefined): boolean {
    return id !== undefined && this.#items[index]?.id === id;
  }

  /** After a rewind, the list lacks the context at the beginning. How many messages that are. */
  #contextBefore(first: string): number {
    const index = this.#items.findIndex(({ id }) => id === first);
    const isContextOnly = this.#items.slice(0, Math.max(0, index)).every(({ isContext }) => isContext);
    return index > 0 && isContextOnly ? index : 0;
  }

  /** How many of these are context at the beginning. */
  #contexts(items: readonly Item[]): number {
    const spoken = items.findIndex((item) => !item.isContext);
    return spoken === -1 ? items.length : spoken;
  }

  /** A resume adds the results of calls as a message, even if they have one. */
  #isRepeatedAnswer(value: JsonObject): boolean {
    const isKnown = this.#byId.has(idOf(value)) || this.#former.has(idOf(value));
    return !isKnown && onlyAnswers(value, this.#answered);
  }

  /** Add the messages that are held. Context alone is not a conversation: a resume writes a file with nothing else. */
  flush(): void {
    if (this.#added === 0 && this.#items.every(({ isContext }) => isContext)) this.#noteHeld();
    else while (this.#added < this.#items.length) this.#addNext();
  }

  /** Add the messages that are held, except for an answer without content: it is written again with its calls. */
  flushAtEnd(): void {
    const last = this.#items.slice(this.#added).at(-1);
    const isEmpty = last?.versions.every(({ value }) => isEmptyAnswer(value));
    if (isEmpty !== true) this.flush();
    else {
      this.flushFinished();
      this.#noteHeld();
    }
  }

  /** Add all but the last message, which may still grow. */
  flushFinished(): void {
    while (this.#added < this.#items.length - 1) this.#addNext();
  }

  #noteHeld(): void {
    for (const item of this.#items.slice(this.#added)) this.#note(item);
  }

  #note({ versions }: Item): void {
    for (const { record } of versions) this.#sink.note(record);
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
      contexts: this.#contexts(added),
      isCut: this.#isCut || this.#added > ITEMS_SAVED_MAX,
      notices: [...this.#notices].slice(-NOTICES_SAVED_MAX),
      answered: [...this.#answered].slice(-CALLS_SAVED_MAX),
      resulted: [...this.#resulted].slice(-CALLS_SAVED_MAX),
    };
  }

  /** A message that has moved becomes a copy: the original belongs to the replaced messages. */
  #takeReplaced(value: JsonObject, record: SourceRecord): void {
    const id = idOf(value);
    if (this.#byId.has(id)) return;
    const former = this.#former.get(id);
    const before = this.#items.at(-1);
    if (former?.isAdded === true && former.before === before?.entry && this.#added === this.#items.length) {
      this.#push(former);
      this.#added++;
      return;
    }
    const entry = former === undefined ? id : madeId("gemini", id, before?.entry ?? "");
    this.#hold(itemOf(id, entry), value, partOf(value, entry, record));
  }

  #hold(item: Item, value: JsonObject, record: SourceRecord): void {
    item.isContext = isContext(value);
    this.#push(item);
    this.#addVersion(item, value, record);
    while (this.#heldChars > HELD_CHARS_MAX && this.#added < this.#items.length - 1) this.#addNext();
    if (this.#added > ITEMS_MAX) this.#forget(this.#added - (ITEMS_MAX >> 1));
  }

  #push(item: Item): void {
    item.before = this.#items.at(-1)?.entry;
    this.#items.push(item);
    this.#byId.set(item.id, item);
    for (const { record } of item.versions) this.#heldChars += sizeOf(record);
  }

  #addVersion({ versions }: Item, value: JsonObject, record: SourceRecord): void {
    versions.push({ value, record });
    for (const call of answeredBy(value)) this.#answered.add(call);
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
    const value = item.versions.at(-1)?.value ?? {};
    const isRest = this.#isRest(item, index, value);
    const parent = isRest
      ? item.tail
      : index > 0
        ? this.#items[index - 1]?.tail
        : this.#isCut
          ? undefined
          : null;
    const records = item.versions.map(({ record }) => record);
    for (const record of records) this.#heldChars -= sizeOf(record);
    item.versions = [];
    item.isAdded = true;
    item.print = printOf(value);
    const isMessage = !onlyAnswers(value, this.#resulted);
    item.tail = isMessage ? this.#addEntries(item, parent, value, records, isRest) : parent;
    if (!isMessage) for (const record of records) this.#sink.note(record);
  }

  /** Only the calls of the last message are new. They are written when they have run, which may take long. */
  #isRest({ print }: Item, index: number, value: JsonObject): boolean {
    const isLast = index === this.#items.length - 1;
    return isLast && hasCalls(value) && print === printOf({ ...value, toolCalls: undefined });
  }

  #addEntries(
    { entry: id, print = "" }: Item,
    parent: string | null | undefined,
    value: JsonObject,
    records: readonly SourceRecord[],
    isRest: boolean,
  ): string | undefined {
    const callsId = madeId("gemini", id, "calls", print);
    const spoken = { id, parent, value, records, answered: this.#resulted, callsId };
    const entries = isRest ? callEntries(spoken) : entriesOf(spoken);
    for (const entry of entries) this.#sink.add(entry);
    for (const call of resultsOf(value)) this.#resulted.add(call);
    this.#modelIs(filledIn(value.model));
    return entries.at(-1)?.id;
  }

  /** Remove the items from `index` on. */
  #cutAt(index: number): void {
    for (const item of this.#items.slice(index)) {
      this.#byId.delete(item.id);
      this.#former.set(item.id, item);
    }
    this.#items.length = index;
    this.#added = Math.min(this.#added, index);
    if (this.#former.size > ITEMS_MAX) this.#former.clear();
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
