import type { Json, JsonObject } from "../../util/json.ts";
import type { ConversationSink, SourceConversation, SourceRecord } from "../import/contract.ts";
import { filledIn, listIn, objectIn } from "../import/values.ts";
import type { OutputFile } from "./claude-code-blocks.ts";
import { compactionOf, linkPreserved } from "./claude-code-compaction.ts";
import {
  addAnswers,
  addLine,
  continues,
  entriesOf,
  type Group,
  groupOf,
  isResultOf,
  type LateCalls,
  lateOf,
  resultEntry,
  savedLate,
  userEntry,
} from "./claude-code-group.ts";
import { type Line, lineOf } from "./claude-code-line.ts";
import type { Links } from "./claude-code-links.ts";
import { recordOf, savedRecord } from "./claude-code-saved.ts";

const LATE_MAX = 50;
/** What the program says itself carries this instead of a model. */
const NO_MODEL = "<synthetic>";

/**
 * The lines of one conversation, as they become entries. An answer is held
 * back until a line comes that is no part of it, a boundary until its summary
 * comes.
 */
export class Chain {
  readonly start: SourceConversation;
  readonly #sink: ConversationSink;
  readonly #links: Links;
  readonly #outputFile: OutputFile;
  #group: Group | undefined;
  #boundary: Line | undefined;
  #late: LateCalls[] = [];
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
        this.flush();
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

  /** Add what was held back. */
  flush(): void {
    this.#flushBoundary(undefined);
    const group = this.#group;
    this.#group = undefined;
    if (group === undefined) return;
    const entries = entriesOf(group, this.#links, this.#outputFile);
    for (const entry of entries) this.#sink.add(entry);
    this.#modelIs(entries[0]?.message?.model);
    if (group.calls.waiting.size === 0) return;
    this.#late = [...this.#late, { group: entries[0]?.id ?? "", calls: group.calls }].slice(-LATE_MAX);
  }

  get held(): readonly Line[] {
    return this.#group?.taken ?? (this.#boundary === undefined ? [] : [this.#boundary]);
  }

  state(): JsonObject {
    return {
      start: this.start as unknown as JsonObject,
      held: this.held.map(({ record }) => savedRecord(record)),
      late: this.#late.map(savedLate),
    };
  }

  /** What was held back is taken once more: none of it reached the sink. */
  restore(state: JsonObject): void {
    this.#late = listIn(state.late).flatMap(lateOf);
    for (const saved of listIn(state.held)) {
      const record = recordOf(saved);
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
      return;
    }
    this.flush();
    this.#group = groupOf(line);
  }

  #user(line: Line): void {
    if (this.#group !== undefined && isResultOf(this.#group.calls, line, this.#links)) {
      this.#group.taken.push(line);
      addAnswers(this.#group.calls, line);
      return;
    }
    this.flush();
    const late = this.#late.find(({ calls }) => isResultOf(calls, line, this.#links));
    if (late === undefined) this.#sink.add(userEntry(line, this.#links, this.#outputFile));
    else this.#lateResult(line, late);
  }

  #lateResult(line: Line, late: LateCalls): void {
    this.#sink.add(resultEntry(line, late.calls, late.group, this.#links, this.#outputFile));
    addAnswers(late.calls, line);
    if (late.calls.waiting.size === 0) this.#late = this.#late.filter((other) => other !== late);
  }

  #summary(line: Line): void {
    const { parent } = line;
    if (this.#boundary !== undefined && (typeof parent !== "string" || parent === this.#boundary.uuid)) {
      this.#flushBoundary(line);
      return;
    }
    this.flush();
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

/** The start of a saved chain, `undefined` when it is none. */
export function startOf(state: Json): SourceConversation | undefined {
  const start = objectIn(objectIn(state)?.start);
  return start !== undefined && typeof start.sourceId === "string"
    ? (start as unknown as SourceConversation)
    : undefined;
}
