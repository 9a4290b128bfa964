/** Random calls of an engine, each with what it makes of the model: done, refused, or never answered. */
import { createHash } from "node:crypto";
import type { AppendOperation, NewBlob, NewEntry, Operation, Outcome } from "../../src/engine/index.ts";
import type { BlobRef } from "../../src/message/types.ts";
import { isoTime } from "../../src/util/time.ts";
import { uuidv7 } from "../../src/util/uuid.ts";
import { ChatModel, type MaybeAppend, type ModelBranch, type ModelEntry, REDACTED } from "./chat-model.ts";
import type { Dice } from "./dice.ts";

export interface Call {
  readonly operation: Operation;
  done(outcome: Extract<Outcome, { ok: true }>): void;
  /** The process or the power died before the answer, or a sync failed. */
  unanswered(): void;
  /** Refused means that nothing was written. */
  readonly appends?: boolean;
}

/** What all calls of a run share. */
export class Calls {
  readonly chats: ChatModel[] = [];
  readonly blobs: Map<string, Buffer> = new Map();
  nowMs: number = Date.UTC(2026, 0, 1);
  readonly #dice: Dice;
  #number = 0;

  constructor(dice: Dice) {
    this.#dice = dice;
  }

  get at(): string {
    return isoTime(this.nowMs);
  }

  next(): Call {
    const chat = this.#dice.pick(this.chats.filter(({ exists, purged }) => exists && purged === "no"));
    const choice = this.#dice.next();
    if (chat === undefined || choice < 0.08) return this.#create();
    if (choice < 0.5) return this.#append(chat);
    if (choice < 0.58) return this.#branch(chat);
    if (choice < 0.62) return this.#prune(chat) ?? this.#append(chat);
    if (choice < 0.66) return this.#sweep(chat);
    if (choice < 0.71) return this.#redact(chat) ?? this.#append(chat);
    if (choice < 0.83) return this.#turn(chat);
    if (choice < 0.86) return this.#title(chat);
    if (choice < 0.9) return this.#retry(chat) ?? this.#append(chat);
    if (choice < 0.94) return this.#move(chat);
    if (choice < 0.97) return this.#purge(chat);
    return this.#collect();
  }

  #create(): Call {
    const chat = new ChatModel(uuidv7(this.nowMs, this.#dice.fill));
    this.chats.push(chat);
    const none = { key: null, title: null, channel: null, model: null, profileId: null };
    return {
      operation: { type: "create", id: chat.id, idGiven: true, ...none, at: this.at, resume: false },
      done: () => {
        chat.exists = true;
      },
      unanswered: () => {},
    };
  }

  #append(chat: ChatModel): Call {
    const branch = this.#dice.pick(["main", "main", ...this.#live(chat).map(({ name }) => name)]);
    const count = this.#dice.pick([1, 1, 2, 4]);
    return this.#write(
      chat,
      Array.from({ length: count }, () => this.#message(branch)),
      branch,
    );
  }

  #live(chat: ChatModel): ModelBranch[] {
    return chat.branches.filter(({ pruned }) => !pruned);
  }

  #message(branch: string): ModelEntry {
    const word = `#${this.#number++}#`;
    const text = word + "x".repeat(this.#dice.pick([0, 0, 30, 900, 5000]));
    const blobs = this.#dice.chance(0.15) ? [this.#blob()] : [];
    const json = JSON.stringify({ role: "user", content: text });
    return this.#entry("message", json, branch, word, blobs);
  }

  #blob(): BlobRef {
    const known = [...this.blobs.values()];
    const again = known.length > 0 && this.#dice.chance(0.3);
    const bytes = again ? this.#dice.pick(known) : Buffer.from(`blob ${this.#number++} `.repeat(40));
    const hash = createHash("sha256").update(bytes).digest("hex");
    this.blobs.set(hash, bytes);
    return { hash, size: bytes.length, path: [], as: "reference" };
  }

  #entry(
    kind: string,
    json: string,
    branch: string | null,
    word: string,
    blobs: readonly BlobRef[] = [],
  ): ModelEntry {
    const id = `e${this.#number++}-${"i".repeat(8)}`;
    return { id, kind, json, branch, blobs, word, seq: 0, redacted: "no", swept: "no", copies: [] };
  }

  #control(data: object): ModelEntry {
    const word = `#${this.#number++}#`;
    return this.#entry("info", JSON.stringify({ ...data, word }), null, word);
  }

  /** A branch that leaves `main`, perhaps with its first message. */
  #branch(chat: ChatModel): Call {
    const main = chat.entries.filter(({ branch }) => branch === "main");
    const from = this.#dice.pick(main);
    const name = `branch ${this.#number++}`;
    const data = { type: "branch", name, from: from?.id ?? null, from_seq: from?.seq ?? 0, checkout: false };
    const messages = this.#dice.chance(0.5) ? [this.#message(name)] : [];
    return this.#write(chat, [this.#control(data), ...messages], "main");
  }

  #prune(chat: ChatModel): Call | undefined {
    const branch = this.#dice.pick(this.#live(chat));
    if (branch === undefined) return undefined;
    return this.#write(chat, [this.#control({ type: "prune", branches: [branch.control.seq] })], "main");
  }

  #write(chat: ChatModel, entries: ModelEntry[], branch: string): Call {
    const references = new Set(entries.flatMap(({ blobs }) => blobs.map(({ hash }) => hash)));
    const blobs = [...references].map((hash): NewBlob => {
      const data = this.blobs.get(hash) as Buffer;
      return { hash, size: data.length, encoding: "none", data };
    });
    const operation: AppendOperation = {
      ...{ type: "append", conversation: chat.id, branch, blobs, at: this.at },
      entries: entries.map(({ id, kind, json, blobs: refs }): NewEntry => {
        const data = kind === "message" ? undefined : JSON.parse(json);
        return { id, idGiven: true, kind, at: this.at, json, data, blobs: refs };
      }),
      operationId: this.#dice.chance(0.5) ? `op${this.#number++}` : undefined,
      expectedHead: undefined,
    };
    return this.#appendCall(chat, { operation, entries });
  }

  #appendCall(chat: ChatModel, append: MaybeAppend): Call {
    return {
      operation: append.operation,
      done: ({ append: result }) => {
        const seqs = result?.replayed ? result.entries : (result?.places ?? []);
        append.entries.forEach((entry, index) => {
          entry.seq = seqs[index]?.seq as number;
        });
        if (!chat.entries.includes(append.entries[0] as ModelEntry)) chat.take(append);
        if (chat.turn?.id === append.operation.endsTurn) chat.turn = undefined;
      },
      unanswered: () => {
        if (chat.turn !== undefined && chat.turn.id === append.operation.endsTurn) {
          chat.maybeTurns.add(chat.turn.id);
          chat.turn = undefined;
        }
        if (!chat.maybe.some(({ entries }) => entries === append.entries)) chat.maybe.push(append);
      },
      appends: true,
    };
  }

  /** The same again, for a caller that received no answer. */
  #retry(chat: ChatModel): Call | undefined {
    const maybe = this.#dice.pick(chat.maybe);
    return maybe === undefined ? undefined : this.#appendCall(chat, maybe);
  }

  #redact(chat: ChatModel): Call | undefined {
    const entry = this.#dice.pick(chat.words.filter(({ kind }) => kind === "message"));
    if (entry === undefined) return undefined;
    const { at } = this;
    const json = JSON.stringify(REDACTED);
    return {
      operation: { type: "redact", conversation: chat.id, entry: entry.id, json, at },
      done: ({ removed }) => {
        entry.redacted = "yes";
        entry.copies = removed?.copies ?? [];
      },
      unanswered: () => {
        if (entry.redacted === "no") entry.redacted = "maybe";
      },
    };
  }

  #sweep(chat: ChatModel): Call {
    const mark = (sure: "maybe" | "yes"): void => {
      const pruned = new Set(chat.branches.filter((branch) => branch.pruned).map(({ name }) => name));
      for (const entry of chat.entries) {
        if (entry.branch === null || !pruned.has(entry.branch)) continue;
        if (entry.swept !== "yes") entry.swept = sure;
      }
    };
    return {
      operation: { type: "sweep", conversation: chat.id, at: this.at },
      done: () => {
        chat.maybeSwept = true;
        mark("yes");
      },
      unanswered: () => {
        chat.maybeSwept = true;
        mark("maybe");
      },
    };
  }

  /** Begin a turn, add to it, or end it. Needs a lease, which the run takes. */
  #turn(chat: ChatModel): Call {
    const { turn } = chat;
    if (turn !== undefined && this.#dice.chance(0.3)) return this.#endTurn(chat, turn);
    const id = turn?.id ?? `turn ${this.#number++}`;
    const piece = `piece ${this.#number++} ${"y".repeat(this.#dice.pick([0, 40, 5000]))}`;
    const position = turn?.kept.length ?? 0;
    // What got no answer is sent again.
    const sent = (turn?.sent ?? "") + piece;
    if (turn !== undefined) turn.sent = sent;
    return {
      operation: {
        ...{ type: "journal", conversation: chat.id, epoch: chat.epoch, turn: id, position },
        ...{ text: sent.slice(position), header: turn === undefined ? { model: "m" } : undefined },
      },
      done: () => {
        if (turn === undefined) chat.turn = { id, kept: sent, sent };
        else if (sent.length > turn.kept.length) turn.kept = sent;
      },
      unanswered: () => {
        if (turn === undefined) chat.maybeTurns.add(id);
      },
    };
  }

  #endTurn(chat: ChatModel, turn: NonNullable<ChatModel["turn"]>): Call {
    const message = this.#message("main");
    const { operation } = this.#write(chat, [message], "main");
    const ends = { ...(operation as AppendOperation), endsTurn: turn.id };
    return this.#appendCall(chat, { operation: ends, entries: [message] });
  }

  #title(chat: ChatModel): Call {
    const patch = { title: `title ${this.#number++}` };
    return {
      operation: { type: "update", conversation: chat.id, patch, at: this.at },
      done: () => {},
      unanswered: () => {},
    };
  }

  #move(chat: ChatModel): Call {
    const type = chat.trashed ? "restore" : "trash";
    return {
      operation: { type, conversation: chat.id, at: this.at },
      done: () => {
        chat.trashed = type === "trash";
      },
      unanswered: () => {
        chat.maybeMoved = true;
      },
    };
  }

  #purge(chat: ChatModel): Call {
    return {
      operation: { type: "purge", force: true, conversation: chat.id, at: this.at },
      done: () => {
        chat.purged = "yes";
      },
      unanswered: () => {
        if (chat.purged === "no") chat.purged = "maybe";
      },
    };
  }

  #collect(): Call {
    const before = isoTime(this.nowMs + this.#dice.pick([-1000, 1000]));
    return {
      operation: { type: "collect", before, at: this.at },
      done: () => {},
      unanswered: () => {},
    };
  }
}
