/** The conversations of one file: the session, and sub-agents whose lines are among those of the session. */
import { defined, type Json, type JsonObject } from "../../../util/json.ts";
import { filledIn, listIn, objectIn, textIn } from "../../../util/values.ts";
import type { ConversationSink, Sink, SourceConversation, SourceEntry } from "../../contract/reader.ts";
import { loadRecord, saveRecord } from "../shared/saved-state.ts";
import type { AgentCall, AgentCalls } from "./agents.ts";
import type { OutputFile } from "./blocks.ts";
import { Chain, savedStart } from "./chain.ts";
import { type Line, lineOf, timeOf } from "./line.ts";
import type { Links } from "./links.ts";
import { Recent } from "./recent.ts";
import { promptTitle } from "./title.ts";

const MAIN = "";
const SIDES_MAX = 20_000;
const SIDES_SAVED_MAX = 200;
const CHAINS_SAVED_MAX = 100;
const OPENING_MAX = 200;

export interface ConversationsOptions {
  readonly sink: Sink;
  readonly sessionId: string;
  /** The agent that the file belongs to, from its name. */
  readonly fileAgent: string | undefined;
  readonly links: Links;
  readonly agents: AgentCalls;
  readonly outputFile: OutputFile;
  /** The first record of the conversation, if the file is known to continue another one. */
  readonly root: string | undefined;
  /** Whether the session, which begins with these lines, is a copy of another one. */
  readonly isCopy: (first: Line, message: Line | undefined) => boolean;
}

export class Conversations {
  readonly #options: ConversationsOptions;
  readonly #chains: Map<string, Chain> = new Map();
  /** The inline sub-agent of a line without `agentId`. */
  readonly #sides: Recent<string> = new Recent(SIDES_MAX);
  /** Lines of the session before its first message, such as those of hooks: with it, the session begins. */
  #opening: Line[] = [];
  /** The name of the branch that the session is, if it is a fork with a name. */
  branch: string | undefined;
  /** The last entry of the session is a copy that names the session it was forked from. */
  #wasCopied: boolean;

  constructor(options: ConversationsOptions, saved?: Json) {
    this.#options = options;
    const { chains, sides, opening, branch, wasCopied } = objectIn(saved) ?? {};
    this.branch = textIn(branch);
    this.#wasCopied = wasCopied === true;
    this.#opening = listIn(opening).flatMap((item) => {
      const record = loadRecord(item);
      return record === undefined ? [] : [lineOf(objectIn(record.value) ?? {}, record)];
    });
    for (const item of listIn(sides)) {
      const [uuid, key] = listIn(item);
      if (typeof uuid === "string" && typeof key === "string") this.#sides.set(uuid, key);
    }
    for (const item of listIn(chains)) {
      const [key, state = null] = listIn(item);
      const start = savedStart(state);
      if (typeof key !== "string" || start === undefined) continue;
      this.#open(key, start).restore(objectIn(state) ?? {});
    }
  }

  get main(): Chain | undefined {
    return this.#chains.get(MAIN);
  }

  /** The session, or else the first conversation of the file. */
  get any(): Chain | undefined {
    return this.main ?? this.#chains.values().next().value;
  }

  /** The session, opened before any of its lines. */
  empty(): Chain {
    return this.main ?? this.#open(MAIN, { sourceId: this.#options.sessionId });
  }

  take(line: Line): void {
    const key = this.#keyOf(line);
    this.#options.agents.see(line);
    if (key === MAIN) this.#takeMain(line);
    else this.#takeSide(key, line);
  }

  #takeMain(line: Line): void {
    if (this.main === undefined) this.#opening.push(line);
    else this.main.take(line);
    if (line.kind !== "note" || this.#opening.length >= OPENING_MAX) this.#begin();
  }

  #takeSide(key: string, line: Line): void {
    const known = this.#chains.get(key);
    const chain = known ?? this.#open(key, this.#startOfAgent(key, line));
    // The first line of a sub-agent is a root, whatever its parent in the session is.
    chain.take(known === undefined ? { ...line, parent: null } : line);
  }

  #begin(): void {
    const [first] = this.#opening;
    if (first === undefined) return;
    const message = this.#opening.findLast(({ kind }) => kind !== "note");
    const chain = this.#open(MAIN, this.#startOfSession(first, message));
    for (const line of this.#opening) chain.take(line);
    this.#opening = [];
  }

  isMain(line: Line): boolean {
    return this.#keyOf(line) === MAIN;
  }

  flush(): void {
    this.#begin();
    for (const chain of this.#chains.values()) chain.flush();
  }

  /** The session, and the sub-agents that started last. */
  state(): JsonObject {
    const chains = [...this.#chains];
    const kept = [
      ...chains.filter(([key]) => key === MAIN),
      ...chains.filter(([key]) => key !== MAIN).slice(-CHAINS_SAVED_MAX),
    ];
    return {
      chains: kept.map(([key, chain]) => [key, chain.state()]),
      sides: this.#sides.last(SIDES_SAVED_MAX),
      opening: this.#opening.map(({ record }) => saveRecord(record)),
      ...(this.branch === undefined ? {} : { branch: this.branch }),
      wasCopied: this.#wasCopied,
    };
  }

  get holdsForgotten(): boolean {
    const sides = [...this.#chains].filter(([key]) => key !== MAIN).slice(0, -CHAINS_SAVED_MAX);
    return sides.some(([, chain]) => chain.held.length > 0);
  }

  #keyOf({ value, uuid, parent }: Line): string {
    const { fileAgent } = this.#options;
    if (value.isSidechain !== true && fileAgent === undefined) return MAIN;
    const agentId = filledIn(value.agentId) ?? fileAgent;
    if (agentId !== undefined) return `agent-${agentId}`;
    const known = this.#sides.get(uuid ?? "") ?? this.#sides.get(parent ?? "");
    const key = known ?? `sidechain-${uuid}`;
    if (uuid !== undefined) this.#sides.set(uuid, key);
    return key;
  }

  #open(key: string, start: SourceConversation): Chain {
    const { sink, links, outputFile } = this.#options;
    const chain = new Chain(start, this.#named(key, sink.conversation(start)), links, outputFile);
    this.#chains.set(key, chain);
    return chain;
  }

  #named(key: string, conversation: ConversationSink): ConversationSink {
    if (key !== MAIN) return conversation;
    return { ...conversation, add: (entry) => conversation.add(this.#onBranch(entry)) };
  }

  /**
   * Where a fork leaves the conversation, its branch begins, with the name that the user gave to the fork. Its first
   * own entry begins one in any case: otherwise the name would be lost if nothing else follows what was copied.
   */
  #onBranch(entry: SourceEntry): SourceEntry {
    const followsCopy = this.#wasCopied;
    this.#wasCopied = entry.records.some(({ value }) => objectIn(objectIn(value)?.forkedFrom) !== undefined);
    if (this.branch === undefined || this.#wasCopied) return entry;
    return { ...entry, branch: this.branch, ...(followsCopy && { startsBranch: true }) };
  }

  #startOfSession(first: Line, message: Line | undefined): SourceConversation {
    const { sessionId, isCopy, root = first.uuid } = this.#options;
    return { sourceId: sessionId, ...startOf(first), root, ...(isCopy(first, message) && { isCopy: true }) };
  }

  #startOfAgent(key: string, line: Line): SourceConversation {
    const { sessionId, agents } = this.#options;
    return {
      sourceId: `${sessionId}/${key}`,
      title: promptTitle(line),
      ...startOf(line),
      parent: parentOf(sessionId, agents.claim(line)),
    };
  }
}

function startOf(line: Line): Pick<SourceConversation, "root" | "createdAt" | "about"> {
  return { root: line.uuid, createdAt: timeOf(line), about: aboutOf(line.value) };
}

function parentOf(sourceId: string, call: AgentCall | undefined): NonNullable<SourceConversation["parent"]> {
  return { sourceId, ...defined({ toolUse: call?.toolUse, agent: call?.agent }) };
}

function aboutOf({ cwd, version, gitBranch, entrypoint, forkedFrom }: JsonObject): JsonObject | undefined {
  const about = defined({
    cwd: textIn(cwd),
    version: textIn(version),
    gitBranch: filledIn(gitBranch),
    entrypoint: textIn(entrypoint),
    forkedFrom: filledIn(objectIn(forkedFrom)?.sessionId),
  });
  return Object.keys(about).length === 0 ? undefined : about;
}
