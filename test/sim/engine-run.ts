import { vi } from "vitest";
import type { Operation, Outcome } from "../../src/engine/index.ts";
import { JsonlEngine } from "../../src/engine/jsonl/jsonl-engine.ts";
import type { StoredEntry } from "../../src/message/types.ts";
import { type ChatModel, sameBytes } from "./chat-model.ts";
import { type Call, Calls } from "./engine-calls.ts";
import { FeedConsumer } from "./feed-consumer.ts";
import { FOLDER, Lives } from "./lives.ts";
import type { Faults } from "./simulated-disk.ts";
import { SimulatedProcess } from "./simulated-process.ts";

const STEPS_MAX = 25;
const CHANGES_BEFORE_CRASH_MAX = 250;

interface Program {
  readonly engine: JsonlEngine;
  readonly process: SimulatedProcess;
}

/** How often each kind of operation was done in all runs: a refusal is excused, refusing everything is not. */
export const succeeded: Map<Operation["type"], number> = new Map();

/**
 * Several lives of an engine on plain files, each ended by a power cut:
 * branches, turns, blobs, redaction, sweeping, purging, and a
 * follower of the feed. Processes are killed in between.
 */
export class EngineRun extends Lives {
  readonly #calls: Calls;
  readonly #consumer = new FeedConsumer();
  #backups = 0;
  /** A process died in this life, perhaps before it synced what it had written. */
  #killed = false;

  /** `lie`: faults that the disk has all the time, for the controls. */
  constructor(seed: number, lie: Faults = {}) {
    super(seed, lie, CHANGES_BEFORE_CRASH_MAX);
    this.#calls = new Calls(this.dice);
  }

  protected override async live(): Promise<void> {
    const programs = [await this.#start(), await this.#start()];
    this.#killed = false;
    for (const chat of this.#calls.chats) chat.epoch = 0;
    this.#consumer.start((programs[0] as Program).engine);
    for (let step = 0; step < STEPS_MAX && !this.disk.off; step++) {
      this.#calls.nowMs += this.dice.pick([0, 1, 40, 1500]);
      const which = this.dice.below(2);
      const program = programs[which] as Program;
      const choice = this.dice.next();
      if (choice < 0.06) await vi.advanceTimersByTimeAsync(1000);
      else if (choice < 0.12) await this.#backup(program);
      else if (choice < 0.3) this.#consumer.take(program.engine, 1 + this.dice.below(5));
      else await this.#together(program, programs[1 - which] as Program);
      for (const [index, { process }] of programs.entries()) {
        if (!process.dead && this.dice.chance(0.97)) continue;
        process.kill();
        this.#killed = true;
        programs[index] = await this.#start();
      }
    }
  }

  async #start(): Promise<Program> {
    const process = new SimulatedProcess(this.disk, this.dice);
    return { process, engine: await this.#open(process, FOLDER) };
  }

  #open(io: SimulatedProcess, folder: string, readonly = false): Promise<JsonlEngine> {
    const disk = this.disk;
    const onProblem = ({ message }: Error): void => {
      if (!disk.off && !message.includes("torn by a crash, set aside as"))
        throw new Error(`problem: ${message}`);
    };
    return JsonlEngine.open(
      folder,
      { readonly, durability: "full", lockWaitMs: 1000, onProblem },
      { io, clock: () => this.#calls.nowMs, random: this.dice.fill },
    );
  }

  /** A few operations in one commit, now and then on a failing disk, or by a process that is killed. */
  async #together({ engine, process }: Program, other: Program): Promise<void> {
    const calls = Array.from({ length: 1 + this.dice.below(4) }, () => this.#calls.next());
    for (const { operation } of calls) if (operation.type === "journal") await this.#lease(engine, operation);
    const chosen = this.dice.chance(0.1) ? this.#someFault() : {};
    // What the dead did not sync, and a sync that fails: what is on the disk is then unknown.
    const fault = this.#killed && chosen.failingSyncs !== undefined ? {} : chosen;
    if (fault.failingSyncs === undefined && this.dice.chance(0.1)) process.killIn(1 + this.dice.below(15));
    Object.assign(this.disk.faults, fault);
    let outcomes: Outcome[] | undefined;
    let failure: unknown;
    try {
      const answer = engine.commit(calls.map(({ operation }) => operation));
      // Another reader looks in the middle of it.
      const looks = !process.dead && Object.keys(fault).length === 0 && this.dice.chance(0.3);
      if (looks) this.#consumer.take(other.engine, 3);
      outcomes = await answer;
    } catch (error) {
      failure = error;
    }
    this.endFaults();
    process.killIn(Number.POSITIVE_INFINITY);
    const isDead = this.disk.off || process.dead;
    if (failure !== undefined && !isDead) throw failure;
    const syncFailed = fault.failingSyncs !== undefined;
    for (const [index, call] of calls.entries()) {
      this.#settle(call, isDead ? undefined : outcomes?.[index], syncFailed, Object.keys(fault).length > 0);
    }
    // Files that were being written take nothing more until they are opened again.
    if (syncFailed) for (const program of [process, other.process]) program.kill();
  }

  #settle(call: Call, outcome: Outcome | undefined, syncFailed: boolean, failing: boolean): void {
    if (outcome === undefined) call.unanswered();
    else if (outcome.ok) {
      call.done(outcome);
      succeeded.set(call.operation.type, (succeeded.get(call.operation.type) ?? 0) + 1);
    } else {
      const { code, message } = outcome.error;
      const isExcused =
        code === "NOT_FOUND" ||
        code === "CONFLICT" ||
        (code === "SERVICE_UNAVAILABLE" && (failing || message.includes("can be repeated")));
      if (!isExcused) throw outcome.error;
      if (syncFailed || (failing && !call.appends)) call.unanswered();
    }
  }

  #someFault(): Faults {
    return this.dice.pick<Faults>([
      { shortWrite: this.dice.below(200) },
      { bytesLeft: this.dice.below(3000) },
      { failingWrites: 1 + this.dice.below(2) },
      // Two in a row may lose the feed, which is reported to its followers.
      { failingSyncs: 1 },
      { failingRenames: 1 },
      { failingFolderSyncs: 1 },
    ]);
  }

  /** A running turn holds the lease. */
  async #lease(engine: JsonlEngine, journal: Extract<Call["operation"], { type: "journal" }>): Promise<void> {
    const chat = this.#calls.chats.find(({ id }) => id === journal.conversation) as ChatModel;
    this.disk.upMs += 2;
    const [outcome] = await engine.commit([
      {
        ...{ type: "lease", action: "acquire", conversation: chat.id, token: `t${this.dice.next()}` },
        ...{ ttlMs: 1, wait: false },
      },
    ]);
    if (!outcome?.ok || outcome.lease === undefined) return;
    if (outcome.lease.epoch <= chat.epoch)
      throw new Error(`epoch ${outcome.lease.epoch} was given out twice`);
    chat.epoch = outcome.lease.epoch;
    Object.assign(journal, { epoch: chat.epoch });
  }

  /** A copy, opened as a store, holds what was acknowledged before it was begun. */
  async #backup({ engine }: Program): Promise<void> {
    const path = `/backup-${this.#backups++}`;
    await engine.backup(path);
    const process = new SimulatedProcess(this.disk, this.dice);
    const copy = await this.#open(process, path, true);
    const { findings } = await copy.verify();
    if (findings.length > 0) throw new Error(`verify of a backup: ${JSON.stringify(findings)}`);
    for (const chat of this.#calls.chats.filter(({ exists, purged }) => exists && purged === "no")) {
      if (copy.byId(chat.id) === undefined) throw new Error(`lost: ${chat.id} is not in the backup`);
      if (chat.trashed || chat.maybeMoved) continue;
      const ids = new Set(allEntries(copy, chat.id).map(({ id }) => id));
      for (const { id } of chat.words)
        if (!ids.has(id)) throw new Error(`lost: entry ${id} is not in the backup`);
    }
    await copy.close();
    this.disk.removeFolder(path);
  }

  protected override async inspect(): Promise<void> {
    Object.assign(this.disk.faults, { ...this.lie, crashAt: undefined });
    const { engine } = await this.#start();
    for (const chat of this.#calls.chats) this.#look(engine, chat);
    this.#consumer.start(engine);
    this.#consumer.takeAll(engine);
    this.#checkFeed();
    this.#checkForgotten();
    const { findings } = await engine.verify();
    if (findings.length > 0) throw new Error(`verify: ${JSON.stringify(findings)}`);
    await engine.close();
    const again = await this.#start();
    for (const chat of this.#calls.chats) this.#look(again.engine, chat);
    await again.engine.close();
    this.checkNothingIsLeft();
  }

  #look(engine: JsonlEngine, chat: ChatModel): void {
    const info = engine.byId(chat.id);
    if (info === undefined) {
      if (chat.exists && chat.purged === "no") throw new Error(`lost: conversation ${chat.id} is gone`);
      if (chat.exists) chat.purged = "yes";
      return;
    }
    if (chat.purged === "yes") throw new Error(`conversation ${chat.id} was purged and is there`);
    const trashed = info.deletedAt !== null;
    if (chat.exists && trashed !== chat.trashed && !chat.maybeMoved)
      throw new Error(`lost: trashed is ${trashed}`);
    Object.assign(chat, { exists: true, purged: "no", trashed, maybeMoved: false });
    const found = trashed ? this.entriesInTrash(chat.id) : allEntries(engine, chat.id);
    chat.settle(found);
    const messages = found.filter(({ kind }) => kind === "message").length;
    if (info.messageCount !== messages)
      throw new Error(`messageCount is ${info.messageCount}, not ${messages}`);
    if (!trashed) this.#lookClosely(engine, chat, info.head);
  }

  #lookClosely(engine: JsonlEngine, chat: ChatModel, head: string | null): void {
    const live = chat.branches.filter(({ pruned }) => !pruned).map(({ name }) => name);
    for (const name of ["main", ...live]) {
      const ids = allEntries(engine, chat.id, name).map(({ id }) => id);
      const expected = chat.path(name);
      if (ids.join() !== expected.join()) throw new Error(`${name} is ${ids}, not ${expected}`);
      if (name === "main" && head !== (expected.at(-1) ?? null)) throw new Error(`the head is ${head}`);
    }
    for (const { blobs, id } of chat.words) {
      for (const { hash } of blobs) {
        if (!sameBytes(engine.blob(hash, 0, 10_000), this.#calls.blobs.get(hash)))
          throw new Error(`lost: blob ${hash} of ${id}`);
      }
    }
    const open = engine.turn(chat.id, 0);
    const { turn, maybeTurns } = chat;
    if (turn === undefined || open?.id !== turn.id) {
      if (turn !== undefined) throw new Error(`lost: turn ${turn.id} is gone`);
      // Ended, but its journal came back: the next reader ends it again.
      if (open !== undefined) chat.turn = { id: open.id, kept: open.text, sent: open.text };
    } else {
      if (!open.text.startsWith(turn.kept) || !turn.sent.startsWith(open.text))
        throw new Error(`lost: turn ${turn.id} has ${open.text.length} characters, not ${turn.kept.length}`);
      chat.turn = { id: turn.id, kept: open.text, sent: open.text };
    }
    maybeTurns.clear();
  }

  #checkFeed(): void {
    const { seen } = this.#consumer;
    const known = new Set<string>();
    for (const { purged, entries } of this.#calls.chats) {
      for (const { id, swept } of entries) {
        known.add(id);
        if (!seen.has(id) && swept === "no" && purged === "no")
          throw new Error(`lost: the feed does not tell of entry ${id}`);
      }
    }
    for (const { purged, maybe } of this.#calls.chats) {
      const gone = maybe
        .flatMap(({ entries }) => entries)
        .filter(({ swept }) => purged !== "no" || swept !== "no");
      for (const { id } of gone) known.add(id);
    }
    for (const id of seen.keys())
      if (!known.has(id)) throw new Error(`the feed told of ${id}, which is not there`);
  }

  /** Removed words are nowhere on the disk. */
  #checkForgotten(): void {
    const gone: { word: string; copies: readonly string[] }[] = [];
    for (const { purged, entries } of this.#calls.chats) {
      for (const { word, swept, redacted, copies } of entries)
        if (purged === "yes" || swept === "yes" || redacted === "yes")
          gone.push({ word, copies: purged === "yes" ? [] : copies });
    }
    if (gone.length === 0) return;
    for (const path of this.disk.paths().filter((name) => name.startsWith(FOLDER))) {
      const content = this.disk.content(path).toString("latin1");
      for (const { word, copies } of gone) {
        if (content.includes(word) && !copies.includes(path) && !path.includes(".torn-"))
          throw new Error(`${word} was taken away and is in ${path}`);
      }
    }
  }
}

function allEntries(engine: JsonlEngine, conversation: string, branch: string | null = null): StoredEntry[] {
  const all = { from: null, limit: 10_000, bytesMax: Number.MAX_SAFE_INTEGER, kind: undefined };
  const forward = engine.page({ conversation, direction: "forward", ...all, branch }).entries;
  const backward = engine.page({ conversation, direction: "backward", ...all, branch }).entries;
  if (JSON.stringify(forward) !== JSON.stringify(backward)) throw new Error("two directions, two answers");
  if (forward.some(({ flags }) => flags !== undefined)) throw new Error("an entry is flagged");
  return forward;
}
