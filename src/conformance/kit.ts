import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Engine, EngineOptions } from "../engine/engine.ts";
import { ColloquyError, type ErrorCode } from "../errors.ts";
import type { Entry } from "../message/types.ts";
import type { Conversation, EntryQuery } from "../store/conversation.ts";
import { openStore, type StoreOptions } from "../store/open.ts";
import type { Store } from "../store/store.ts";
import { LOCK_WAIT_MS } from "../util/wait.ts";

/** What the module of an engine exports, so that the suite can open it here and in processes of its own. */
export interface EngineModule {
  /** Open the engine's store that lives in `folder`. */
  open(folder: string, options: EngineOptions): Promise<Engine>;
  /** False when nothing outlives the engine. Default: true. */
  readonly persistent?: boolean;
}

/** Registers one test: `test` of node:test, `it` of vitest and the like. */
export type TestFunction = (name: string, run: () => Promise<void>) => unknown;

/** A folder of its own for one test, and stores that are closed when it ends. */
export class Bench implements AsyncDisposable {
  readonly folder: string = mkdtempSync(join(tmpdir(), "colloquy-conformance-"));
  readonly url: URL;
  readonly #module: EngineModule;
  readonly #stores: Store[] = [];

  constructor(url: URL, module: EngineModule) {
    this.url = url;
    this.#module = module;
  }

  get persistent(): boolean {
    return this.#module.persistent !== false;
  }

  async open(options: StoreOptions = {}): Promise<Store> {
    const engine = await this.#module.open(this.folder, {
      readonly: options.readonly ?? false,
      durability: options.durability ?? "full",
      lockWaitMs: options.lockWaitMs ?? LOCK_WAIT_MS,
      onProblem: options.onProblem ?? ((problem) => assert.fail(`Unexpected damage: ${problem.message}`)),
    });
    const store = await openStore(engine, options);
    this.#stores.push(store);
    return store;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const store of this.#stores) await store.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Registers a test; `persistent` ones are left out for an engine that keeps nothing. */
export interface Check {
  (name: string, run: (bench: Bench) => Promise<void>): void;
  persistent(name: string, run: (bench: Bench) => Promise<void>): void;
}

export type Topic = (check: Check) => void;

/** The promise must fail with this code, and with `ColloquyError`. Returns the error. */
export async function refuses(
  code: ErrorCode,
  promise: Promise<unknown>,
  message?: RegExp,
): Promise<ColloquyError> {
  const error = await promise.then(
    () => assert.fail(`Expected ${code}, but it succeeded`),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof ColloquyError, `Expected a ColloquyError, got ${String(error)}`);
  assert.equal(error.code, code, `${error.code}: ${error.message}`);
  if (message !== undefined) assert.match(error.message, message);
  return error;
}

/** Every message of a conversation, page by page. */
export async function allMessages(
  conversation: Conversation,
  query: EntryQuery = { limit: 500 },
): Promise<Entry[]> {
  const found: Entry[] = [];
  let page = await conversation.messages(query);
  for (;;) {
    found.push(...page.items);
    if (page.cursor === null) return found;
    page = await conversation.messages({ limit: query.limit, cursor: page.cursor });
  }
}

export function texts(entries: readonly Entry[]): unknown[] {
  return entries.map((entry) => entry.message?.content);
}

/** What a process of its own is told to do. */
export interface ChildJob {
  readonly engine: string;
  readonly folder: string;
  readonly durability: "full" | "process";
  readonly key: string;
  readonly writer: string;
  /** So many appends … */
  readonly count: number;
  /** … of so many messages each. */
  readonly batch: number;
}
