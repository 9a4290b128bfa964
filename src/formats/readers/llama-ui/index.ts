/**
 * Exports of llama.cpp's web UI: a session line, then all its messages, in no
 * particular order; several sessions may follow one another.
 */
import { defined, type JsonObject } from "../../../util/json.ts";
import { filledIn, objectIn, textIn, timeIn } from "../../../util/values.ts";
import type { FormatWith } from "../../contract/format.ts";
import { madeId } from "../../contract/ids.ts";
import type { ConversationSink, RecordReader, Sink, SourceRecord } from "../../contract/reader.ts";
import { shownLeaf, type TreeNode, wholeTree } from "../shared/whole-tree.ts";
import { idIn } from "../shared/whole-tree-blocks.ts";
import { llamaMessage } from "./message.ts";

export const llamaUi: FormatWith<"lines"> = {
  name: "llama-ui",
  lines: {
    sniff: (records) => records.some(isOwn),
    open: (sink, { path }) => new LlamaUiReader(sink, path),
  },
};

/** Sessions look like those of pi but for their `harness`. Messages name their session. */
function isOwn({ type, id, harness, message }: JsonObject): boolean {
  return (
    (type === "session" && filledIn(id) !== undefined && harness === "llama.app") ||
    (type === "message" && filledIn(objectIn(message)?.convId) !== undefined)
  );
}

interface LlamaNode extends TreeNode {
  readonly message: JsonObject;
  readonly record: SourceRecord;
}

class LlamaUiReader implements RecordReader {
  readonly #sink: Sink;
  readonly #path: string;
  #session: JsonObject = {};
  #nodes: LlamaNode[] = [];
  #others: SourceRecord[] = [];

  constructor(sink: Sink, path: string) {
    this.#sink = sink;
    this.#path = path;
  }

  record(record: SourceRecord): void {
    const value = objectIn(record.value);
    const message = objectIn(value?.message);
    if (value === undefined) {
      this.#sink.skip(record, "not an object");
    } else if (value.type === "session") {
      this.#finish();
      this.#session = value;
      this.#others.push(record);
    } else if (value.type === "message" && message !== undefined) {
      this.#follow(idIn(message.convId));
      this.#nodes.push(this.#nodeOf(message, record));
    } else {
      this.#sink.unknown(textIn(value.type) ?? "none");
      this.#others.push(record);
    }
  }

  end(): void {
    this.#finish();
  }

  /** An export is written at once, so a changed file is another export. */
  state(): undefined {
    return undefined;
  }

  /** A message that names another session than the last session line: its session line was lost. */
  #follow(session: string | undefined): void {
    const current = idIn(this.#session.id);
    if (session === undefined || session === current) return;
    // A session without an id has all messages that follow it.
    if (current === undefined && this.#session.type !== undefined) return;
    if (current !== undefined) this.#finish();
    this.#session = { id: session };
  }

  #nodeOf(message: JsonObject, record: SourceRecord): LlamaNode {
    const id = idIn(message.id) ?? madeId(filledIn(this.#session.id) ?? this.#path, this.#nodes.length);
    return { id, parent: idIn(message.parent) ?? null, at: timeIn(message.timestamp), message, record };
  }

  #finish(): void {
    if (this.#nodes.length === 0 && this.#others.length === 0) return;
    const conversation = this.#sink.conversation(startOf(this.#session, this.#path));
    for (const record of this.#others) conversation.note(record);
    this.#addAll(conversation);
    this.#nodes = [];
    this.#others = [];
  }

  #addAll(conversation: ConversationSink): void {
    const leaf = shownLeaf(this.#nodes, idIn(this.#session.currNode));
    // The root of the tree is an empty message that is never shown.
    const roots = new Set(this.#nodes.filter(isRoot).map(({ id }) => id));
    for (const node of wholeTree(this.#nodes, leaf)) {
      const { id, parent, at, message, record } = node;
      if (isRoot(node)) {
        conversation.note(record);
        continue;
      }
      const below = parent === null || roots.has(parent) ? null : parent;
      const made = llamaMessage(id, message, (type) => this.#sink.unknown(type));
      conversation.add({ id, parent: below, at, message: made, records: [record] });
    }
    if (leaf !== undefined && !roots.has(leaf)) conversation.leaf(leaf);
  }
}

function isRoot({ message }: LlamaNode): boolean {
  return message.type === "root";
}

function startOf(session: JsonObject, path: string): Parameters<Sink["conversation"]>[0] {
  const forked = filledIn(session.forkedFromConversationId);
  return {
    sourceId: idIn(session.id) ?? madeId("llama-ui", path),
    title: filledIn(session.name),
    about: defined({ forked_from: forked, pinned: session.pinned === true ? true : undefined }),
  };
}
