import { asColloquyError, ColloquyError, invalid } from "../../errors.ts";
import { blocksOf } from "../../message/blocks.ts";
import { END_STATES } from "../../message/rules.ts";
import { textOf } from "../../message/text.ts";
import type { EndState, Entry, MessageEntry, MessageInput } from "../../message/types.ts";
import { checkLabel, checkOperationId, checkProperties } from "../../message/validate.ts";
import { targetBranch } from "../../tree/place-entries.ts";
import { assertJson, defined, isPlainObject, type JsonObject } from "../../util/json.ts";
import { isoTime } from "../../util/time.ts";
import { epochOf, type StoreAccess } from "../access.ts";
import { logEndOf } from "../read/lookups.ts";
import { type Appended, type Messages, type PendingEntry, pendingMessages, write } from "../write/writing.ts";
import { Journal } from "./journal.ts";
import { Lease, type LeaseOptions } from "./lease.ts";
import { hasWords } from "./streamed-words.ts";
import { branchName, ended, findEnded, pendingEnd, sealWith } from "./turn-end.ts";

export interface TurnOptions extends LeaseOptions {
  /** The id of the turn. If it has already ended, it is returned as it ended, and nothing is written. */
  readonly operationId?: string;
  /** Default: the checked-out branch. */
  readonly branch?: string;
  /** Recorded in the answer. */
  readonly model?: string;
  /** A lease that the caller holds. Default: the turn acquires one and releases it at the end. */
  readonly lease?: Lease;
}

/**
 * One answer in progress: messages that are durable at once, and streamed text
 * that survives a killed process.
 *
 * The text is in a journal beside the log and becomes one message at the end,
 * so a long stream does not grow the log.
 */
export interface Turn extends AsyncDisposable {
  readonly id: string;
  /** `running`, or how it ended. */
  readonly state: EndState | "running";
  /** The text that was streamed since the last message. */
  readonly text: string;
  /** The entries that the turn has written. */
  readonly entries: readonly MessageEntry[];
  /** What was noted last; of a turn that has ended, only if it was interrupted. */
  readonly noted: JsonObject | undefined;
  /** The name that its branch has now; `undefined` if it was pruned. */
  branch(): Promise<string | undefined>;
  /**
   * Append messages, durable at once and marked with the turn. Text that was
   * streamed before an assistant message counts as part of that message.
   */
  add(messages: Messages): Promise<Appended>;
  /**
   * Store streamed text. Resolves when it is journalled, and need not be
   * awaited: text that could not be journalled is still written by `finish`.
   */
  delta(text: string): Promise<void>;
  /**
   * Note what the turn is about to do. Resolves when that is durable. The log does not grow: the note is
   * kept beside it until the next note, and in it if the turn is interrupted.
   */
  note(data: JsonObject): Promise<void>;
  /**
   * End the turn: the streamed text, or `message` instead, becomes
   * the answer. One write makes it durable and removes the journal. `undefined`
   * when there was no text.
   */
  finish(state?: EndState, options?: FinishOptions): Promise<MessageEntry | undefined>;
}

export interface FinishOptions {
  readonly message?: MessageInput;
}

class RunningTurn implements Turn {
  readonly id: string;
  readonly #store: StoreAccess;
  readonly #conversation: string;
  readonly #lease: Lease;
  readonly #ownsLease: boolean;
  #header: JsonObject;
  readonly #epoch: number;
  readonly #journal: Journal;
  #renewal: NodeJS.Timeout | undefined;
  #state: EndState | "running" = "running";
  #entries: MessageEntry[] = [];
  #count = 0;
  /** The number of the entry that the streamed text becomes. */
  #part = 1;
  #lost: ColloquyError | undefined;
  #finishing: Promise<MessageEntry | undefined> | undefined;
  /** Whether an entry of the turn may have been written before: its id was given, or a write has failed. */
  #mayRepeat = true;

  static async begin(store: StoreAccess, conversation: string, options: TurnOptions): Promise<Turn> {
    checkProperties(options, TURN_MEMBERS, "options");
    const { operationId, model, ttlMs, waitMs, signal } = options;
    if (operationId !== undefined) checkTurnId(operationId);
    if (model !== undefined) checkLabel(model, "model");
    store.assertWritable();
    const id = operationId ?? store.newId(store.nowMs());
    const given = options.lease;
    if (given !== undefined) epochOf(given, conversation);
    const lease = given ?? (await Lease.acquire(store, conversation, defined({ ttlMs, waitMs, signal })));
    try {
      await sealWith(store, conversation, lease);
      const ended = operationId === undefined ? undefined : await findEnded(store, conversation, operationId);
      if (ended !== undefined) {
        if (given === undefined) await lease.release();
        return ended;
      }
      const { tree } = await logEndOf(store, conversation);
      // By its id: the turn stays on its branch when that is renamed.
      const branch = targetBranch(tree, options.branch);
      const header = { branch, model: model ?? null, startedAt: isoTime(store.nowMs()), part: 1 };
      const turn = new RunningTurn(store, conversation, id, lease, given === undefined, header);
      if (operationId === undefined) turn.#mayRepeat = false;
      await turn.#journal.begin(header);
      turn.#keepLease();
      return turn;
    } catch (error) {
      if (given === undefined) await lease.release().catch(() => {});
      throw error;
    }
  }

  private constructor(
    store: StoreAccess,
    conversation: string,
    id: string,
    lease: Lease,
    ownsLease: boolean,
    header: JsonObject,
  ) {
    this.#store = store;
    this.#conversation = conversation;
    this.id = id;
    this.#lease = lease;
    this.#ownsLease = ownsLease;
    this.#header = header;
    this.#epoch = lease.epoch;
    this.#journal = new Journal(store, conversation, id, lease.epoch);
  }

  get state(): EndState | "running" {
    return this.#state;
  }

  get text(): string {
    return this.#journal.text;
  }

  get entries(): readonly MessageEntry[] {
    return this.#entries;
  }

  branch(): Promise<string | undefined> {
    return branchName(this.#store, this.#conversation, () => this.#header.branch);
  }

  async add(messages: Messages): Promise<Appended> {
    this.#assertRunning();
    const nowMs = this.#store.nowMs();
    // Checked before anything is read from them.
    pendingMessages(this.#store, messages, nowMs);
    if (!toList(messages).some(({ role }) => role === "assistant")) return this.#add(messages, "", nowMs);
    await this.#journal.hold();
    try {
      return await this.#add(messages, this.#journal.text, nowMs);
    } finally {
      this.#journal.resume();
    }
  }

  async #add(messages: Messages, streamed: string, nowMs: number): Promise<Appended> {
    const pending = pendingMessages(this.#store, completed(toList(messages), streamed, this.#header), nowMs);
    // In one transaction: there is no moment without a journal.
    const writing = this.#store.queue.together(() => {
      const written = this.#write(pending, String(++this.#count), streamed !== "", nowMs);
      if (streamed !== "") {
        this.#part = this.#count + 1;
        this.#journal.restart({ ...this.#header, part: this.#part });
      }
      return written;
    });
    try {
      const appended = (await writing) as Appended;
      this.#entries.push(...appended.entries);
      return appended;
    } catch (error) {
      if (streamed !== "") this.#journal.takeBack(streamed);
      throw error;
    }
  }

  delta(text: string): Promise<void> {
    this.#assertRunning();
    if (typeof text !== "string") throw invalid("A delta must be a string", "text");
    return this.#journal.add(text);
  }

  get noted(): JsonObject | undefined {
    return this.#header.note as JsonObject | undefined;
  }

  async note(data: JsonObject): Promise<void> {
    this.#assertRunning();
    if (!isPlainObject(data)) throw invalid("A note must be an object", "note");
    assertJson(data, "note");
    const part = this.#part;
    this.#header = { ...this.#header, note: structuredClone(data) };
    await this.#journal.rename({ ...this.#header, part });
  }

  async finish(state: EndState = "finished", options: FinishOptions = {}): Promise<MessageEntry | undefined> {
    if (!END_STATES.includes(state)) {
      throw invalid('state must be "finished", "stopped" or "interrupted"', "state");
    }
    checkProperties(options, FINISH_MEMBERS, "options");
    if (options.message !== undefined && options.message.role !== "assistant") {
      throw invalid("The answer of a turn must be an assistant message", "message");
    }
    this.#assertRunning();
    if (this.#finishing !== undefined) throw ended(this.id);
    this.#finishing = this.#finish(state, options);
    try {
      return await this.#finishing;
    } finally {
      // One that failed may be tried again.
      this.#finishing = undefined;
    }
  }

  async #finish(state: EndState, { message }: FinishOptions): Promise<MessageEntry | undefined> {
    await this.#journal.hold();
    try {
      return await this.#end(state, message);
    } finally {
      this.#journal.resume();
    }
  }

  async #end(state: EndState, message: MessageInput | undefined): Promise<MessageEntry | undefined> {
    const nowMs = this.#store.nowMs();
    const { text } = this.#journal;
    const end = pendingEnd(this.#store, this.id, this.#header, message, text, state, nowMs);
    const pending = { ...end, entry: { ...end.entry, idGiven: this.#mayRepeat } };
    const {
      entries: [entry],
    } = await this.#write([pending], "end", true, nowMs);
    this.#journal.end(text.length);
    this.#state = state;
    clearInterval(this.#renewal);
    if (entry === undefined || entry.kind !== "message") return undefined;
    this.#entries.push(entry);
    return entry;
  }

  /**
   * Leaving a turn without ending it stops it. A turn that is
   * ending, or was lost to another holder, reports that elsewhere.
   */
  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#renewal);
    if (this.#finishing !== undefined) await this.#finishing.catch(() => {});
    if (this.#state !== "running" || this.#lost !== undefined) return;
    await this.finish("stopped").catch(async (error: unknown) => {
      // The next holder of the lease ends it.
      if (this.#ownsLease) await this.#lease.abandon();
      // The process that took over has already ended it.
      if (!(error instanceof ColloquyError) || error.code !== "CONFLICT") throw error;
    });
  }

  async #write(
    pending: readonly PendingEntry[],
    step: string,
    endsTurn: boolean,
    nowMs: number,
  ): Promise<Appended<Entry>> {
    const writing = write(
      this.#store,
      this.#conversation,
      pending,
      {
        branch: this.#header.branch as number,
        operationId: `${this.id}/${step}`,
        operationGiven: this.#mayRepeat,
        expectedHead: undefined,
        epoch: this.#epoch,
        ...(endsTurn ? { endsTurn: this.id } : {}),
        ...(step === "end" && this.#ownsLease ? { releases: this.#lease.token } : {}),
      },
      nowMs,
    );
    try {
      return await writing;
    } catch (error) {
      this.#mayRepeat = true;
      throw error;
    }
  }

  #keepLease(): void {
    if (!this.#ownsLease) return;
    const renew = (): void => {
      this.#lease.renew().catch((error: unknown) => {
        this.#lost = asColloquyError(error, "Cannot renew the lease");
      });
    };
    this.#renewal = setInterval(renew, this.#lease.ttlMs / 3).unref();
  }

  #assertRunning(): void {
    if (this.#state !== "running") throw ended(this.id);
    if (this.#lost?.code === "CONFLICT") throw this.#lost;
  }
}

/** Start a turn, or return the one that has ended under this id. */
export function beginTurn(store: StoreAccess, conversation: string, options: TurnOptions): Promise<Turn> {
  return RunningTurn.begin(store, conversation, options);
}

function toList(messages: Messages): readonly MessageInput[] {
  return Array.isArray(messages) ? messages : [messages as MessageInput];
}

/** Messages with the turn's model, and with the text that was streamed before them if they lack it. */
function completed(
  messages: readonly MessageInput[],
  streamed: string,
  { model }: JsonObject,
): MessageInput[] {
  const answers = messages.filter((message) => message?.role === "assistant");
  let isMissing = !hasWords(answers.map((message) => textOf(message)).join("\n\n"), streamed);
  return messages.map((message) => {
    if (message?.role !== "assistant") return message;
    const named = typeof model === "string" && message.model === undefined ? { ...message, model } : message;
    if (!isMissing) return named;
    isMissing = false;
    return { ...named, content: [{ type: "text", text: streamed }, ...blocksOf(message)] };
  });
}

/** The ids of a turn's entries are derived from its id. */
function checkTurnId(operationId: unknown): void {
  if (Buffer.byteLength(checkOperationId(operationId)) > TURN_ID_BYTES_MAX) {
    throw invalid(`Invalid operation id: the limit for a turn is ${TURN_ID_BYTES_MAX} bytes`, "operationId");
  }
}

const TURN_ID_BYTES_MAX = 240;

const TURN_MEMBERS: ReadonlySet<string> = new Set([
  "operationId",
  "branch",
  "model",
  "lease",
  "ttlMs",
  "waitMs",
  "signal",
]);
const FINISH_MEMBERS: ReadonlySet<string> = new Set(["message"]);
