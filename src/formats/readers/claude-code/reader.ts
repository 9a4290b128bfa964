import type { Json, JsonObject } from "../../../util/json.ts";
import { filledIn, listIn, objectIn, textIn } from "../../../util/values.ts";
import type { BaseFile } from "../../contract/format.ts";
import type { RecordReader, Sink, SourceRecord, Surroundings } from "../../contract/reader.ts";
import { loadRecord, saveRecord, withinLimit } from "../shared/saved-state.ts";
import { AgentCalls } from "./agents.ts";
import { Conversations } from "./conversations.ts";
import { isCopy } from "./copy.ts";
import { SIDE_TYPES } from "./kinds.ts";
import { type Line, lineOf, uuidIn } from "./line.ts";
import { Links } from "./links.ts";
import { outputFiles } from "./output-file.ts";
import { Titles } from "./title.ts";
import { unknownIn } from "./unknown.ts";

const EARLY_MAX = 1000;
/** What stands before the first line of the session does not wait for it without limit. */
const EARLY_BYTES_MAX = 32 * 1024 * 1024;
const LINKS_SAVED_MAX = 2_000;
/** A smaller limit while records are held. */
const LINKS_SAVED_MIN = 200;

export class ClaudeCodeReader implements RecordReader {
  readonly #sink: Sink;
  readonly #path: string;
  readonly #links: Links;
  readonly #titles: Titles;
  readonly #agents: AgentCalls;
  #sessionId: string | undefined;
  #conversations: Conversations | undefined;
  /** Records before the first line of the session, whose `uuid` opens the conversation. */
  #early: SourceRecord[] = [];
  #earlyBytes = 0;
  /** The first record of the conversation, if it is in the session that this one was forked from, and not here. */
  readonly #root: string | undefined;
  /** It is known to be a fork: a title that the user gave is that of a branch. */
  #isFork: boolean;
  /** First ids of lines that were renamed twice. */
  readonly #renamed: JsonObject;

  constructor(sink: Sink, around: Surroundings, saved: Json | undefined, base?: BaseFile) {
    const { sessionId, links, titles, agents, early, conversations, isFork } = objectIn(saved) ?? {};
    this.#sink = sink;
    this.#path = around.path;
    this.#root = base?.facts.isOwn === true ? undefined : base?.root;
    this.#isFork = base !== undefined || isFork === true;
    this.#renamed = objectIn(base?.facts.renamed) ?? {};
    this.#links = new Links(links);
    this.#titles = new Titles(titles);
    this.#agents = new AgentCalls(agents);
    this.#sessionId = filledIn(sessionId);
    this.#early = listIn(early).flatMap((item) => loadRecord(item) ?? []);
    if (conversations !== undefined) this.#conversations = this.#open(conversations);
  }

  record(record: SourceRecord): void {
    const value = objectIn(record.value);
    if (value === undefined) this.#sink.skip(record, "not an object");
    else this.#take(value, record);
  }

  end(final: boolean): void {
    if (final) this.#conversations?.flush();
    const chain = this.#conversations?.any;
    if (this.#early.length === 0 || (chain === undefined && !final)) return;
    this.#noteEarly();
    this.#tellTitle();
  }

  state(): Json | undefined {
    if (this.#conversations?.holdsForgotten || this.#root !== undefined) return undefined;
    return withinLimit(this.#state(LINKS_SAVED_MAX)) ?? withinLimit(this.#state(LINKS_SAVED_MIN));
  }

  #state(links: number): JsonObject {
    return {
      sessionId: this.#sessionId ?? null,
      links: this.#links.state(links),
      titles: this.#titles.state(),
      agents: this.#agents.state(),
      early: this.#early.map(saveRecord),
      isFork: this.#isFork,
      ...(this.#conversations === undefined ? {} : { conversations: this.#conversations.state() }),
    };
  }

  #take(value: JsonObject, record: SourceRecord): void {
    const line = lineOf(value, record, (id) => textIn(this.#renamed[id]) ?? id);
    const own = uuidIn(value.uuid);
    if (own !== undefined) this.#sink.offer(own);
    if (own !== undefined && line.uuid !== undefined) this.#links.set(own, line.uuid);
    this.#sessionId ??= filledIn(value.sessionId);
    for (const type of unknownIn(line)) this.#sink.unknown(type);
    if (line.uuid === undefined || SIDE_TYPES.has(line.type)) this.#side(record, value);
    else this.#tree(line);
    this.#tellTitle();
  }

  #tree(line: Line): void {
    this.#conversations ??= this.#open();
    const isMain = this.#conversations.isMain(line);
    if (isMain) this.#titles.tree(line);
    if (isMain && objectIn(line.value.forkedFrom) !== undefined) this.#isFork = true;
    this.#conversations.take(line);
    if (isMain && this.#conversations.main !== undefined) this.#noteEarly();
  }

  #side(record: SourceRecord, value: JsonObject): void {
    this.#titles.side(value);
    const main = this.#conversations?.main;
    if (main !== undefined) {
      main.note(record);
      return;
    }
    this.#early.push(record);
    this.#earlyBytes += record.bytes ?? 0;
    const isCrowded = this.#early.length > EARLY_MAX && this.#conversations?.any !== undefined;
    if (isCrowded || this.#earlyBytes > EARLY_BYTES_MAX) this.#noteEarly();
  }

  #noteEarly(): void {
    this.#conversations ??= this.#open();
    const chain = this.#conversations.any ?? this.#conversations.empty();
    for (const record of this.#early) chain.note(record);
    this.#early = [];
    this.#earlyBytes = 0;
  }

  #tellTitle(): void {
    const main = this.#conversations?.main;
    const title = main === undefined ? undefined : this.#titles.changed();
    if (title === undefined) return;
    if (this.#root === undefined) main?.title(title);
    if (this.#isFork && this.#conversations !== undefined) this.#conversations.branch = this.#titles.given;
  }

  #open(saved?: Json): Conversations {
    const name = this.#path.split(/[\\/]/).at(-1) ?? "";
    const sessionId = this.#sessionId ?? name.split(".", 1)[0] ?? "";
    this.#sessionId = sessionId;
    this.#sink.offer(sessionId);
    return new Conversations(
      {
        sink: this.#sink,
        sessionId,
        fileAgent: /^agent-([\w-]+)\.jsonl/.exec(name)?.[1],
        links: this.#links,
        agents: this.#agents,
        outputFile: outputFiles(this.#path, sessionId),
        root: this.#root,
        isCopy: (first, message) => this.#root !== undefined || isCopy(this.#early, first, message, name),
      },
      saved,
    );
  }
}
