import { isDeepStrictEqual } from "node:util";
import { vi } from "vitest";
import { JsonlEngine } from "../../src/engine/jsonl/jsonl-engine.ts";
import { ColloquyError } from "../../src/errors.ts";
import type { Message, StoredEntry } from "../../src/message/types.ts";
import { openStore } from "../../src/store/open.ts";
import type { Store } from "../../src/store/store.ts";
import { uuidv7 } from "../../src/util/uuid.ts";
import { FOLDER, Lives } from "./lives.ts";
import { brief, someMessage } from "./messages.ts";
import type { Faults } from "./simulated-disk.ts";

const STEPS_MAX = 20;
const CHANGES_BEFORE_CRASH_MAX = 150;

/** What is known of one conversation, and what calls that were never answered may have made of it. */
interface Chat {
  readonly id: string;
  /** Its creation was acknowledged. */
  exists: boolean;
  messages: Message[];
  title: string | null;
  trashed: boolean;
  /** Appends without an answer: each may be there whole, or not at all. */
  maybeAppends: Message[][];
  maybeTitles: string[];
  maybeMoved: boolean;
}

interface Program {
  readonly store: Store;
  readonly engine: JsonlEngine;
}

/** Several lives of a store on plain files, each ended by a power cut, checked against plain lists. */
export class StoreRun extends Lives {
  readonly #durability: "full" | "process";
  readonly #chats: Chat[] = [];
  #nowMs = Date.UTC(2026, 0, 1);
  #number = 0;

  /** `lie` and `durability` are for the controls. */
  constructor(seed: number, lie: Faults = {}, durability: "full" | "process" = "full") {
    super(seed, lie, CHANGES_BEFORE_CRASH_MAX);
    this.#durability = durability;
  }

  protected override async live(): Promise<void> {
    // Two programs with the same store, who take turns.
    const programs = [await this.#start(), await this.#start()];
    for (let step = 0; step < STEPS_MAX && !this.disk.off; step++) {
      this.#nowMs += this.dice.pick([0, 1, 40, 1500]);
      const which = this.dice.chance(0.7) ? 0 : 1;
      const { store } = programs[which] as Program;
      const choice = this.dice.next();
      if (choice < 0.08) await vi.advanceTimersByTimeAsync(1000);
      else if (choice < 0.16) {
        if (this.dice.chance(0.5)) await store.close();
        programs[which] = await this.#start();
      } else if (await this.#together(store)) {
        // A sync failed: files that were being written take nothing more until they are opened again.
        for (const index of programs.keys()) programs[index] = await this.#start();
      }
    }
  }

  async #start(): Promise<Program> {
    const engine = await JsonlEngine.open(
      FOLDER,
      {
        readonly: false,
        durability: this.#durability,
        lockWaitMs: 1000,
        onProblem: ({ message }) => {
          if (!message.includes("torn by a crash, set aside as")) throw new Error(`problem: ${message}`);
        },
      },
      { io: this.disk, clock: () => this.#nowMs, random: this.dice.fill },
    );
    return { engine, store: await openStore(engine, { clock: () => this.#nowMs }) };
  }

  /** One to five calls at once, which share a transaction; now and then on a failing disk. */
  async #together(store: Store): Promise<boolean> {
    const calls = Array.from({ length: 1 + this.dice.below(5) }, () => this.#call(store));
    const fault = this.dice.chance(0.1) ? this.#someFault() : {};
    const failing = Object.keys(fault).length > 0;
    const syncFails = fault.failingSyncs !== undefined;
    Object.assign(this.disk.faults, fault);
    const outcomes = await Promise.allSettled(calls.map(({ start }) => start()));
    this.endFaults();
    for (const [index, outcome] of outcomes.entries()) {
      const { done, unanswered, appends } = calls[index] as Call;
      if (outcome.status === "fulfilled") done();
      else if (this.disk.off) unanswered();
      else {
        if (!isExcused(outcome.reason, failing)) throw outcome.reason;
        // What was refused has left nothing, but for a failed sync, and for the metadata of other calls.
        if (syncFails || !appends) unanswered();
      }
    }
    return syncFails;
  }

  #someFault(): Faults {
    return this.dice.pick<Faults>([
      { shortWrite: this.dice.below(200) },
      { bytesLeft: this.dice.below(3000) },
      { failingWrites: 1 + this.dice.below(2) },
      { failingSyncs: 1 + this.dice.below(2) },
      { failingSyncs: 1 + this.dice.below(2), shortWrite: this.dice.below(200) },
    ]);
  }

  #call(store: Store): Call {
    const known = this.#chats.filter(({ exists }) => exists);
    const chat = this.dice.pick(known);
    const choice = this.dice.next();
    if (chat === undefined || choice < 0.12) return this.#create(store);
    if (choice < 0.75) return this.#append(store, chat);
    if (choice < 0.88) return this.#title(store, chat);
    return this.#move(store, chat);
  }

  #create(store: Store): Call {
    const id = uuidv7(this.#nowMs, this.dice.fill);
    const title = this.dice.chance(0.5) ? `title ${this.#number++}` : null;
    const chat: Chat = {
      ...{ id, exists: false, messages: [], title, trashed: false },
      ...{ maybeAppends: [], maybeTitles: [], maybeMoved: false },
    };
    this.#chats.push(chat);
    const key = this.dice.chance(0.3) ? `cli:${this.#number++}` : undefined;
    return {
      start: () =>
        store.create({ id, ...(title === null ? {} : { title }), ...(key === undefined ? {} : { key }) }),
      done: () => {
        chat.exists = true;
      },
      // Without metadata a conversation can be there, but its title cannot.
      unanswered: () => chat.maybeTitles.push(""),
    };
  }

  #append(store: Store, chat: Chat): Call {
    const count = this.dice.chance(0.5) ? 1 : 2 + this.dice.below(4);
    const messages = Array.from({ length: count }, () => someMessage(this.dice, this.#number++));
    return {
      start: async () => (await handle(store, chat)).append(messages),
      done: () => chat.messages.push(...messages),
      unanswered: () => chat.maybeAppends.push(messages),
      appends: true,
    };
  }

  #title(store: Store, chat: Chat): Call {
    const title = `title ${this.#number++}`;
    return {
      start: async () => (await handle(store, chat)).update({ title }),
      done: () => {
        chat.title = title;
        chat.maybeTitles = [];
      },
      unanswered: () => chat.maybeTitles.push(title),
    };
  }

  #move(store: Store, chat: Chat): Call {
    const restore = chat.trashed;
    return {
      start: () => (restore ? store.restore(chat.id) : store.delete(chat.id)),
      done: () => {
        chat.trashed = !restore;
      },
      unanswered: () => {
        chat.maybeMoved = true;
      },
    };
  }

  protected override async inspect(): Promise<void> {
    const { store, engine } = await this.#start();
    for (const chat of this.#chats) this.#settle(engine, chat);
    await this.#noneTooMany(store);
    for (const chat of this.#chats.filter(({ exists, trashed }) => exists && !trashed)) {
      const message = someMessage(this.dice, this.#number++);
      await (await handle(store, chat)).append(message);
      // Only a writer may add a missing newline to a complete last line.
      this.#settle(engine, chat, [message]);
      chat.maybeAppends = [];
    }
    // A torn tail is set aside by the next append, which the trash does not get.
    const { findings } = await store.verify();
    const wrong = findings.filter(({ code, source }) => code !== "torn-tail" || !source?.includes("/trash/"));
    if (wrong.length > 0) throw new Error(`verify: ${JSON.stringify(wrong)}`);
    const again = await this.#start();
    for (const chat of this.#chats) this.#settle(again.engine, chat);
    await store.close();
    await again.store.close();
    this.checkNothingIsLeft();
  }

  /** Compare one conversation, and take over what came of unanswered calls. */
  #settle(engine: JsonlEngine, chat: Chat, appended: Message[] = []): void {
    const info = engine.byId(chat.id);
    if (info === undefined) {
      if (chat.exists) throw new Error(`conversation ${chat.id} is gone`);
      return;
    }
    chat.exists = true;
    const trashed = info.deletedAt !== null;
    if (trashed !== chat.trashed && !chat.maybeMoved) throw new Error(`trashed is ${trashed}`);
    if (info.title !== chat.title && !chat.maybeTitles.includes(info.title ?? ""))
      throw new Error(`the title is ${info.title}, not ${chat.title}`);
    Object.assign(chat, { trashed, title: info.title, maybeMoved: false, maybeTitles: [] });
    const entries = trashed ? this.entriesInTrash(chat.id) : allEntries(engine, chat.id);
    this.#checkMessages(chat, entries, appended);
    if (info.messageCount !== entries.length) throw new Error(`messageCount is ${info.messageCount}`);
    checkChain(entries, info.head);
  }

  #checkMessages(chat: Chat, entries: StoredEntry[], appended: Message[]): void {
    const found = entries.map(({ message }) => message as Message);
    const wanted = [...chat.messages];
    const differs = (): never => {
      throw new Error(
        `${brief(found)} instead of ${brief(chat.messages)}, perhaps with ${chat.maybeAppends.map(brief)}`,
      );
    };
    for (const maybe of chat.maybeAppends) {
      if (isDeepStrictEqual(found[wanted.length], maybe[0])) wanted.push(...maybe);
    }
    wanted.push(...appended);
    if (!isDeepStrictEqual(found, wanted)) differs();
    // An unanswered append that is there stays; one that is not may only lack its newline.
    chat.maybeAppends = chat.maybeAppends.filter((maybe) => !wanted.includes(maybe[0] as Message));
    chat.messages = wanted;
  }

  async #noneTooMany(store: Store): Promise<void> {
    const known = new Set(this.#chats.map(({ id }) => id));
    for (const trash of [false, true]) {
      const { items } = await store.list({ trash, limit: 10_000 });
      for (const { id } of items) if (!known.delete(id)) throw new Error(`${id} is unknown or there twice`);
    }
  }
}

function allEntries(engine: JsonlEngine, conversation: string): StoredEntry[] {
  return engine.page({
    ...{ conversation, direction: "forward", from: null, limit: 10_000 },
    ...{ bytesMax: Number.MAX_SAFE_INTEGER, kind: undefined },
  }).entries;
}

interface Call {
  readonly start: () => Promise<unknown>;
  readonly done: () => unknown;
  /** The power failed before the answer. */
  readonly unanswered: () => unknown;
  /** Refused means that nothing was written. */
  readonly appends?: boolean;
}

/** On a good disk only two calls fail: on a trashed conversation, and one that reports an earlier failure. */
function isExcused({ code, message }: ColloquyError, failing: boolean): boolean {
  if (code === "SERVICE_UNAVAILABLE") return failing || message.includes("can be repeated");
  return code === "NOT_FOUND";
}

/** A conversation as a program has it in hand, even if it is in the trash by now. */
async function handle(store: Store, { id }: Chat): ReturnType<Store["create"]> {
  const found = await store.get(id);
  if (found === undefined) throw new ColloquyError("NOT_FOUND", id);
  return found;
}

function checkChain(entries: readonly StoredEntry[], head: string | null): void {
  let previous: StoredEntry | undefined;
  for (const entry of entries) {
    const linked = entry.parentId === (previous?.id ?? null) && entry.seq > (previous?.seq ?? 0);
    if (!linked || entry.flags !== undefined)
      throw new Error(`entry ${entry.id} is not linked to the one before`);
    previous = entry;
  }
  if (head !== (previous?.id ?? null)) throw new Error(`the head is ${head}`);
}
