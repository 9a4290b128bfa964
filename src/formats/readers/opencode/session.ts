/**
 * One session of opencode: its messages, one after the other.
 *
 * A message that ends a compaction, `summary: true`, is a compaction entry,
 * and the message that asked for it is not an entry. A session that was reverted
 * shows the entries before the message that it was reverted to.
 */
import { defined, type JsonObject } from "../../../util/json.ts";
import { filledIn, objectIn, timeIn } from "../../../util/values.ts";
import { madeId } from "../../contract/ids.ts";
import type { ConversationSink, Sink, SourceConversation } from "../../contract/reader.ts";
import { idIn } from "../shared/whole-tree-blocks.ts";
import { entriesOf } from "./message.ts";
import { itemsOf } from "./parts.ts";
import type { Records } from "./records.ts";

/** A message with its parts. */
interface SessionMessage {
  readonly value: JsonObject;
  readonly parts: readonly JsonObject[];
}

export class SessionReader {
  readonly #sink: Sink;
  readonly #target: ConversationSink;
  readonly #session: JsonObject;
  readonly #records: Records;
  readonly #compactions: Map<string, JsonObject> = new Map();
  readonly #isLive: boolean;
  #last: string | null = null;
  #isWaiting = false;
  #leaf: string | undefined;

  /** `isLive`: opencode may be writing an answer. */
  constructor(
    sink: Sink,
    session: JsonObject,
    records: Records,
    isLive: boolean,
    parent: SourceConversation["parent"] = parentOf(session),
  ) {
    this.#sink = sink;
    this.#session = session;
    this.#records = records;
    this.#isLive = isLive;
    this.#target = sink.conversation(conversationOf(session, parent));
    this.note(session);
  }

  /** What follows an answer that is being written waits, too: prompts are queued meanwhile. */
  add(message: SessionMessage): void {
    this.#isWaiting ||= this.#waitsFor(message);
    if (!this.#isWaiting) this.#add(message);
  }

  #waitsFor(message: SessionMessage): boolean {
    if (!this.#isLive || !isBegun(message.value)) return false;
    return this.#sink.waitsFor(sourceIdOf(this.#session), this.#touchedMs(message));
  }

  /** A call that runs for long has no new time in it, but opencode changes its row. */
  #touchedMs({ value, parts }: SessionMessage): number[] {
    const timed = [value, ...parts, ...parts.map(({ state }) => objectIn(state) ?? {})];
    const inside = timed.flatMap(({ time }) => Object.values(objectIn(time) ?? {}));
    const changed = [value, ...parts].map((read) => this.#records.changedAt(read));
    return [...inside, ...changed].flatMap((time) => timeIn(time) ?? []);
  }

  #add({ value, parts }: SessionMessage): void {
    const id = idIn(value.id) ?? madeId("opencode message", this.#last ?? "");
    this.#mark(id);
    const asked = parts.find(({ type }) => type === "compaction");
    if (asked !== undefined) this.#compactions.set(id, asked);
    const read = itemsOf(parts, id, this.#sink);
    for (const noted of read.notes) this.note(noted);
    if (asked !== undefined && read.items.length === 0) this.note(value);
    else if (isSummary(value)) this.#compact(id, value, parts);
    else {
      for (const entry of entriesOf(id, value, read, this.#records, this.#sink)) {
        this.#target.add({ ...entry, parent: this.#last });
        this.#last = entry.id;
      }
    }
  }

  /** An entry that is not a legacy message. */
  addEntry(entry: Parameters<ConversationSink["add"]>[0]): void {
    if (this.#isWaiting) return;
    this.#mark(entry.id);
    this.#target.add({ ...entry, parent: this.#last });
    this.#last = entry.id;
  }

  note(value: JsonObject): void {
    if (this.#isWaiting) return;
    for (const record of this.#records.of(value)) this.#target.note(record);
  }

  finish(): void {
    if (this.#leaf !== undefined) this.#target.leaf(this.#leaf);
  }

  /** Undone messages start here: the shown path ends before it, or with it if only parts of it were undone. */
  #mark(id: string): void {
    const revert = objectIn(this.#session.revert) ?? {};
    if (revert.messageID !== id) return;
    this.#leaf = filledIn(revert.partID) === undefined ? (this.#last ?? undefined) : id;
  }

  #compact(id: string, value: JsonObject, parts: readonly JsonObject[]): void {
    const asked = this.#compactions.get(filledIn(value.parentID) ?? "") ?? {};
    const summary = parts.filter(({ type }) => type === "text").map(({ text }) => filledIn(text) ?? "");
    this.addEntry({
      id,
      kind: "compaction",
      at: timeIn(objectIn(value.time)?.created),
      data: {
        summary: summary.join("\n\n"),
        strategy: "opencode",
        first_kept: filledIn(asked.tail_start_id) ?? null,
        ...(typeof asked.auto === "boolean" && { trigger: asked.auto ? "auto" : "manual" }),
      },
      records: [value, ...parts].flatMap((read) => this.#records.of(read)),
    });
  }
}

/** An answer that failed has an error, and one that was stopped, too. */
function isBegun({ role, error, time }: JsonObject): boolean {
  const isOver = timeIn(objectIn(time)?.completed) !== undefined || (error !== undefined && error !== null);
  return role === "assistant" && !isOver;
}

/** A summary that failed or is still being written replaces nothing. */
function isSummary({ role, summary, error, time }: JsonObject): boolean {
  const isDone = timeIn(objectIn(time)?.completed) !== undefined && (error === undefined || error === null);
  return role === "assistant" && summary === true && isDone;
}

function parentOf({ parentID }: JsonObject): SourceConversation["parent"] {
  const sourceId = idIn(parentID);
  return sourceId === undefined ? undefined : { sourceId };
}

function sourceIdOf({ id, title }: JsonObject): string {
  return idIn(id) ?? madeId("opencode", String(title));
}

function conversationOf(session: JsonObject, parent: SourceConversation["parent"]): SourceConversation {
  const { title, time, directory, version, projectID, agent, model } = session;
  return {
    sourceId: sourceIdOf(session),
    title: filledIn(title),
    model: filledIn(objectIn(model)?.id) ?? filledIn(objectIn(model)?.modelID),
    createdAt: timeIn(objectIn(time)?.created),
    ...(parent !== undefined && { parent }),
    about: defined({
      directory: filledIn(directory),
      version: filledIn(version),
      project: filledIn(projectID),
      agent: filledIn(agent),
    }),
  };
}
