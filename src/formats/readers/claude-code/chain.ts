import type { Json, JsonObject } from "../../../util/json.ts";
import { filledIn, listIn, objectIn } from "../../../util/values.ts";
import type { ConversationSink, SourceConversation, SourceRecord } from "../../contract/reader.ts";
import { loadRecord, loadStart, saveRecord, saveStart } from "../shared/saved-state.ts";
import type { OutputFile } from "./blocks.ts";
import { compactionOf, linkPreserved } from "./compaction.ts";
import {
  type Added,
  addAnswers,
  addedOf,
  addLine,
  type Calls,
  continues,
  entriesOf,
  type Group,
  groupOf,
  isResultOf,
  resultEntry,
  savedAdded,
  userEntry,
} from "./group.ts";
import { type Line, lineOf } from "./line.ts";
import type { Links } from "./links.ts";

const LATE_MAX = 50;
/** The model of messages that Claude Code wrote itself. */
const NO_MODEL = "<synthetic>";

/**
 * Turns the lines of one conversation into entries. An answer is held until a
 * line arrives that is not part of it, and a boundary until its summary
 * arrives. An answer that was added at the end of a pass stays open: later
 * parts of it follow the parts that were added.
 */
export class Chain {
  readonly start: SourceConversation;
  readonly #sink: ConversationSink;
  readonly #links: Links;
  readonly #outputFile: OutputFile;
  #group: Group | undefined;
  #boundary: Line | undefined;
  /** The answer that the last pass ended with. */
  #open: Added | undefined;
  /** Answers that were added and still wait for results. */
  #late: Added[] = [];
  #model: string | undefined;

  constructor(start: SourceConversation, sink: ConversationSink, links: Links, outputFile: OutputFile) {
    this.start = start;
    this.#sink = sink;
    this.#links = links;
    this.#outputFile = outputFile;
  }

  take(line: Line): void {
    switch (line.kind) {
      case "note":
        this.#note(line);
        break;
      case "assistant":
        this.#answer(line);
        break;
      case "user":
        this.#user(line);
        break;
      case "boundary":
        this.#close();
        this.#boundary = line;
        break;
      case "summary":
        this.#summary(line);
    }
  }

  note(record: SourceRecord): void {
    this.#sink.note(record);
  }

  title(title: string): void {
    this.#sink.update({ title });
  }

  /**
   * Add the lines that are held. A boundary becomes no entry yet: if its summary came in a later pass, the compaction
   * would be two.
   */
  flush(): void {
    if (this.#boundary !== undefined) this.#sink.note(this.#boundary.record);
    const group = this.#group;
    this.#group = undefined;
    if (group === undefined) return;
    const entries = entriesOf(group, this.#links, this.#outputFile);
    for (const entry of entries) this.#sink.add(entry);
    this.#modelIs(entries[0]?.message?.model);
    this.#open = { messageId: group.messageId, calls: group.calls };
  }

  /** The answer is complete. */
  #close(): void {
    this.#flushBoundary(undefined);
    this.flush();
    const open = this.#open;
    this.#open = undefined;
    if (open !== undefined && open.calls.waiting.size > 0)
      this.#late = [...this.#late, open].slice(-LATE_MAX);
  }

  get held(): readonly Line[] {
    return this.#group?.taken ?? (this.#boundary === undefined ? [] : [this.#boundary]);
  }

  state(): JsonObject {
    return {
      start: saveStart(this.start),
      held: this.held.map(({ record }) => saveRecord(record)),
      ...(this.#open === undefined ? {} : { open: savedAdded(this.#open) }),
      late: this.#late.map(savedAdded),
    };
  }

  /** Held lines are read again: they never reached the sink. */
  restore(state: JsonObject): void {
    this.#open = addedOf(state.open);
    this.#late = listIn(state.late).flatMap((saved) => addedOf(saved) ?? []);
    for (const saved of listIn(state.held)) {
      const record = loadRecord(saved);
      const value = objectIn(record?.value);
      if (record !== undefined && value !== undefined) this.take(lineOf(value, record));
    }
  }

  #note({ uuid, parent, record }: Line): void {
    if (uuid !== undefined) this.#links.set(uuid, this.#links.resolve(parent ?? null));
    this.#sink.note(record);
  }

  #answer(line: Line): void {
    if (this.#group !== undefined && continues(this.#group, line)) {
      addLine(this.#group, line);
    } else if (this.#group === undefined && this.#open !== undefined && continues(this.#open, line)) {
      this.#group = groupOf(line, this.#open);
    } else {
      this.#close();
      this.#group = groupOf(line);
    }
  }

  #user(line: Line): void {
    if (this.#group !== undefined && isResultOf(this.#group.calls, line, this.#links)) {
      this.#group.taken.push(line);
      addAnswers(this.#group.calls, line);
    } else if (this.#group === undefined && this.#isResultOf(this.#open, line)) {
      this.#lateResult(line, this.#open.calls);
    } else {
      this.#close();
      const late = this.#late.find((added) => this.#isResultOf(added, line));
      if (late === undefined) this.#sink.add(userEntry(line, this.#links, this.#outputFile));
      else this.#lateResult(line, late.calls);
    }
  }

  #isResultOf(added: Added | undefined, line: Line): added is Added {
    return added !== undefined && isResultOf(added.calls, line, this.#links);
  }

  #lateResult(line: Line, calls: Calls): void {
    this.#sink.add(resultEntry(line, calls, this.#links, this.#outputFile));
    addAnswers(calls, line);
    this.#late = this.#late.filter((late) => late.calls.waiting.size > 0);
  }

  #summary(line: Line): void {
    const parent = this.#links.resolve(line.parent ?? null);
    if (this.#boundary !== undefined && (parent === null || parent === this.#boundary.uuid)) {
      this.#flushBoundary(line);
      return;
    }
    this.#close();
    this.#sink.add(compactionOf(undefined, line, this.#links));
  }

  #flushBoundary(summary: Line | undefined): void {
    const boundary = this.#boundary;
    this.#boundary = undefined;
    if (boundary === undefined) return;
    this.#sink.add(compactionOf(boundary, summary, this.#links));
    if (summary?.uuid !== undefined) this.#links.set(summary.uuid, boundary.uuid ?? null);
    linkPreserved(boundary, this.#links);
  }

  #modelIs(model: string | undefined): void {
    if (filledIn(model) === undefined || model === NO_MODEL || model === this.#model) return;
    this.#model = model;
    this.#sink.update({ model });
  }
}

/** The conversation of a saved chain. */
export function savedStart(state: Json): SourceConversation | undefined {
  return loadStart(objectIn(state)?.start);
}
