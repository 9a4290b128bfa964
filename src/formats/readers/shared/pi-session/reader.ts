import { defined, type Json, type JsonObject } from "../../../../util/json.ts";
import { filledIn, listIn, numberIn, objectIn, textIn, timeIn } from "../../../../util/values.ts";
import type {
  ConversationSink,
  RecordReader,
  Sink,
  SourceConversation,
  SourceEntry,
  SourceRecord,
} from "../../../contract/reader.ts";
import { loadStart, saveStart } from "../saved-state.ts";
import { idIn } from "../whole-tree-blocks.ts";
import type { PiContext } from "./content.ts";
import { indexId, type PiPlace, pathEntry } from "./entries.ts";
import { conversationIn, type PiOrigin, rootIn } from "./header.ts";
import { customIn, messageIn } from "./message.ts";
import { PiTree } from "./tree.ts";
import { isUpgraded, PiUpgrade } from "./upgrade.ts";

export interface PiOptions {
  readonly format: string;
  /** The tool upgrades its files of the first version in place. */
  readonly mayBeUpgraded?: true;
  /** Facts from outside the file, given its first line. */
  readonly origin: (header: JsonObject) => PiOrigin;
}

/** Types that are on no path and do not become entries. */
const OFF_PATH: ReadonlySet<unknown> = new Set(["custom", "session_info", "usage", "context_edit"]);

export class PiReader implements RecordReader {
  readonly #sink: Sink;
  readonly #options: PiOptions;
  readonly #tree: PiTree;
  readonly #calls: string[];
  #header: JsonObject | undefined;
  #title: string | undefined;
  /** Records before the first entry: the conversation begins with that. */
  #early: SourceRecord[] = [];
  #start: SourceConversation | undefined;
  #conversation: ConversationSink | undefined;
  #upgrade: PiUpgrade | undefined;
  /** Entries so far. The header counts as 0. */
  #index: number;
  #last: string | null;
  #shown: string | null;
  #model: string | undefined;

  constructor(sink: Sink, options: PiOptions, state?: Json) {
    const known = objectIn(state) ?? {};
    this.#sink = sink;
    this.#options = options;
    this.#tree = new PiTree(known.tree);
    this.#calls = listIn(known.calls).flatMap((id) => textIn(id) ?? []);
    this.#index = numberIn(known.index) ?? 0;
    this.#last = textIn(known.last) ?? null;
    this.#shown = textIn(known.shown) ?? null;
    this.#model = textIn(known.model);
    const start = loadStart(known.start);
    if (start === undefined) return;
    if (known.upgrade !== undefined) this.#upgrade = new PiUpgrade(start.sourceId, known.upgrade);
    this.#open(start);
  }

  record(record: SourceRecord): void {
    const value = objectIn(record.value);
    if (value === undefined) this.#sink.skip(record, "not an object");
    else if (value.type === "title") this.#entitle(record, filledIn(value.title) ?? filledIn(value.name));
    else if (value.type === "session") this.#begin(record, value);
    else this.#entry(record, value, this.#conversation ?? this.#openWith(value));
  }

  end(final: boolean): void {
    // Without an entry it is a conversation that was only opened.
    if (final && this.#conversation === undefined && this.#early.length > 0) this.#openWith({});
    const shown = this.#tree.resolve(this.#shown);
    if (shown !== null) this.#conversation?.leaf(shown);
  }

  state(): Json | undefined {
    const upgrade = this.#upgrade?.state();
    if (this.#start === undefined || (this.#upgrade !== undefined && upgrade === undefined)) return undefined;
    return {
      start: saveStart(this.#start),
      index: this.#index,
      last: this.#last,
      shown: this.#shown,
      tree: this.#tree.state(),
      calls: this.#calls.slice(-16),
      ...defined({ model: this.#model, upgrade }),
    };
  }

  #entitle(record: SourceRecord, title: string | undefined): void {
    this.#note(record);
    if (title === undefined) return;
    this.#title = title;
    this.#conversation?.update({ title });
  }

  /** The first header counts. */
  #begin(record: SourceRecord, header: JsonObject): void {
    this.#header ??= header;
    this.#note(record);
  }

  #note(record: SourceRecord): void {
    if (this.#conversation === undefined) this.#early.push(record);
    else this.#conversation.note(record);
  }

  #openWith(first: JsonObject): ConversationSink {
    const header = this.#header ?? {};
    const start = conversationIn(header, this.#options.origin(header), this.#title);
    if (this.#options.mayBeUpgraded === true && isUpgraded(header))
      this.#upgrade = new PiUpgrade(start.sourceId);
    const root = this.#upgrade === undefined ? rootIn(first) : undefined;
    const conversation = this.#open(root === undefined ? start : { ...start, root });
    for (const record of this.#early) conversation.note(record);
    this.#early = [];
    return conversation;
  }

  #open(start: SourceConversation): ConversationSink {
    this.#start = start;
    this.#model ??= start.model;
    this.#conversation = this.#sink.conversation(start);
    return this.#conversation;
  }

  #entry(record: SourceRecord, own: JsonObject, conversation: ConversationSink): void {
    this.#index++;
    const entry = this.#upgrade?.renamed(own, this.#index) ?? own;
    const place = this.#placeOf(entry);
    const made = this.#made(entry, place);
    if (made !== undefined) {
      this.#tree.follow(place.id, place.parent);
      const at = timeIn(entry.timestamp) ?? timeIn(objectIn(entry.message)?.timestamp);
      const parent = this.#tree.resolve(place.parent);
      conversation.add({
        id: place.id,
        parent,
        ...this.#aliases(own, place),
        at,
        ...made,
        records: [record],
      });
    } else if (entry.type === "label") {
      this.#label(record, entry, place, conversation);
    } else {
      this.#offPath(record, entry, place, conversation);
    }
    this.#last = place.id;
    // Entries beside the path do not change the shown entry.
    if (entry.appendMode !== "side") this.#shown = place.id;
  }

  /** The id that an upgraded file calls it by. */
  #aliases(own: JsonObject, { id }: PiPlace): Pick<SourceEntry, "aliases"> {
    const name = idIn(own.id);
    return name === undefined || name === id ? {} : { aliases: [name] };
  }

  /** Without ids, entries follow one another. */
  #placeOf(entry: JsonObject): PiPlace {
    const sourceId = this.#start?.sourceId ?? "";
    const id = idIn(entry.id) ?? indexId(sourceId, this.#index);
    const parent = entry.parentId === null ? null : (idIn(entry.parentId) ?? this.#last);
    return { format: this.#options.format, sourceId, id, parent, shown: this.#shown, tree: this.#tree };
  }

  #made(entry: JsonObject, place: PiPlace): Pick<SourceEntry, "kind" | "data" | "message"> | undefined {
    const context: PiContext = {
      entryId: place.id,
      calls: this.#calls,
      onUnknown: (type) => this.#sink.unknown(type),
    };
    if (entry.type === "custom_message") return { message: customIn(entry, context) };
    if (entry.type === "message") {
      const message = messageIn(objectIn(entry.message) ?? {}, context);
      if (message?.role === "assistant") this.#changeModel(message.model);
      return message === undefined ? undefined : { message };
    }
    if (entry.type === "model_change") this.#changeModel(filledIn(entry.modelId));
    return pathEntry(entry, place);
  }

  #changeModel(model: string | undefined): void {
    if (model === undefined || model === this.#model) return;
    this.#model = model;
    this.#conversation?.update({ model });
  }

  /** A label is on no path: its children follow its parent. */
  #label(record: SourceRecord, entry: JsonObject, place: PiPlace, conversation: ConversationSink): void {
    const { id, parent } = place;
    const target = this.#tree.resolve(idIn(entry.targetId) ?? null);
    const data = { entry: target, label: filledIn(entry.label) ?? null };
    const at = timeIn(entry.timestamp);
    conversation.add({ id, parent: this.#tree.resolve(parent), kind: "label", at, data, records: [record] });
    this.#tree.skip(id, parent);
  }

  #offPath(record: SourceRecord, entry: JsonObject, place: PiPlace, conversation: ConversationSink): void {
    const { id, parent } = place;
    conversation.note(record);
    const name = entry.type === "session_info" ? filledIn(entry.name) : undefined;
    if (name !== undefined) conversation.update({ title: name });
    // A pointer to the shown entry, which moved without a message.
    const isPointer =
      entry.type === "leaf" && (entry.targetId === null || idIn(entry.targetId) !== undefined);
    this.#tree.skip(id, parent, isPointer ? (idIn(entry.targetId) ?? null) : parent);
    if (!isPointer && !OFF_PATH.has(entry.type)) this.#sink.unknown(unknownType(entry));
  }
}

function unknownType({ type, message }: JsonObject): string {
  if (type === "message") return `message ${textIn(objectIn(message)?.role) ?? "none"}`;
  return textIn(type) ?? "none";
}
