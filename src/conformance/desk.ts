/** One conversation of an engine without a store in front of it. */
import assert from "node:assert/strict";
import type {
  AppendOperation,
  Done,
  Engine,
  JournalOperation,
  LeaseOperation,
  NewEntry,
  Operation,
  Outcome,
  Removed,
} from "../engine/index.ts";
import type { ErrorCode } from "../errors.ts";
import { isoTime } from "../util/time.ts";
import { systemRandom, uuidv7 } from "../util/uuid.ts";
import type { Bench } from "./kit.ts";

export const NOW_MS: number = Date.UTC(2026, 0, 1);
export const AT: string = isoTime(NOW_MS);

export function newId(): string {
  return uuidv7(NOW_MS, systemRandom);
}

export function message(id: string, text: string = id): NewEntry {
  return {
    id,
    idGiven: false,
    kind: "message",
    at: AT,
    json: JSON.stringify({ role: "user", content: text }),
  };
}

export function info(id: string, data: NonNullable<NewEntry["data"]>): NewEntry {
  return { id, idGiven: false, kind: "info", at: AT, json: JSON.stringify(data), data };
}

export class Desk implements AsyncDisposable {
  readonly engine: Engine;
  readonly id: string = newId();

  static async open(bench: Bench): Promise<Desk> {
    const desk = new Desk(await bench.engine({ durability: "process" }));
    await desk.another(desk.id);
    return desk;
  }

  private constructor(engine: Engine) {
    this.engine = engine;
  }

  /** Create another conversation. */
  async another(id: string = newId()): Promise<string> {
    const fields = { key: null, title: null, channel: null, model: null, profileId: null };
    await this.done({ type: "create", id, idGiven: false, ...fields, at: AT, resume: false });
    return id;
  }

  commit(...operations: readonly Operation[]): Promise<Outcome[]> {
    return Promise.resolve(this.engine.commit(operations));
  }

  async done(operation: Operation): Promise<Done> {
    const [outcome] = await this.commit(operation);
    assert.ok(outcome?.ok === true, outcome?.ok === false ? outcome.error.message : "There is no outcome");
    return outcome;
  }

  /** A removal, and what is erased after it. */
  async removed(operation: Operation): Promise<Removed> {
    const { removed } = await this.done(operation);
    assert.ok(removed !== undefined, "There is no receipt");
    const { blobs, bytes } = await this.engine.erase();
    return { ...removed, blobs: removed.blobs + blobs, bytes: removed.bytes + bytes };
  }

  async refused(code: ErrorCode, operation: Operation): Promise<void> {
    const [outcome] = await this.commit(operation);
    assert.ok(outcome?.ok === false, `Expected ${code}, but it succeeded`);
    assert.equal(outcome.error.code, code, outcome.error.message);
  }

  append(entries: readonly NewEntry[], options: Partial<AppendOperation> = {}): AppendOperation {
    const none = { operationId: undefined, expectedHead: undefined };
    return { type: "append", conversation: this.id, entries, at: AT, ...none, ...options };
  }

  lease(token: string, action: LeaseOperation["action"] = "acquire"): LeaseOperation {
    const times = { ttlMs: 60_000, wait: false };
    return { type: "lease", conversation: this.id, token, action, ...times };
  }

  piece(
    turn: string,
    epoch: number,
    position: number,
    text: string,
    header?: JournalOperation["header"],
  ): JournalOperation {
    return { type: "journal", conversation: this.id, turn, epoch, position, text, header };
  }

  async seqs(branch: string | null | undefined, from: number | null = null): Promise<number[]> {
    const query = { limit: 100, bytesMax: 1_000_000, kind: undefined };
    const page = await this.engine.page({
      conversation: this.id,
      direction: "forward",
      from,
      branch,
      ...query,
    });
    return page.entries.map(({ seq }) => seq);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.engine.close();
  }
}
