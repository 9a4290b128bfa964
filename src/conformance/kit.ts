import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Engine, EngineOptions } from "../engine/index.ts";
import { ColloquyError, type ErrorCode } from "../errors.ts";
import type { Entry, MessageEntry, MessageInput } from "../message/types.ts";
import type { Conversation } from "../store/conversation.ts";
import { openStore, type StoreOptions } from "../store/open.ts";
import type { EntryQuery } from "../store/read/entry-query.ts";
import type { Page } from "../store/read/listing.ts";
import type { Store } from "../store/store.ts";

/** How long a test waits for a lock by default. A slow machine is not a failure. */
export const PATIENCE_MS = 120_000;

/** What the module of an engine exports, so that the suite can open it here and in other processes. */
export interface EngineModule {
  /** Open the engine's store in `folder`. */
  open(folder: string, options: EngineOptions): Promise<Engine>;
  /** False if nothing survives closing the engine. Default: true. */
  readonly persistent?: boolean;
}

/** Registers one test: `test` of node:test, `it` of vitest and the like. */
export type TestFunction = (name: string, run: () => Promise<void>) => unknown;

/** A separate folder for one test, and stores that are closed when it ends. */
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

  /** The store of this test, or the one in another folder. */
  async open(options: StoreOptions = {}, folder: string = this.folder): Promise<Store> {
    const { durability: _, lockWaitMs: __, ...ofStore } = options;
    const store = await openStore(await this.engine(options, folder), ofStore);
    this.#stores.push(store);
    return store;
  }

  /** The engine without a store in front of it. The caller closes it. */
  engine(options: StoreOptions = {}, folder: string = this.folder): Promise<Engine> {
    return this.#module.open(folder, {
      readonly: options.readonly ?? false,
      durability: options.durability ?? "full",
      lockWaitMs: options.lockWaitMs ?? PATIENCE_MS,
      onProblem: options.onProblem ?? ((problem) => assert.fail(`Unexpected damage: ${problem.message}`)),
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const store of this.#stores) await store.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Registers a test; `persistent` ones are skipped for an engine that is not persistent. */
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

/** Every message of a conversation, or all that match a query. */
export function allMessages(conversation: Conversation, query: EntryQuery = {}): Promise<MessageEntry[]> {
  return Array.fromAsync(conversation.messages(query));
}

/** All pages of a list, in the order in which they are read. */
export async function allPages<T>(
  read: (cursor: string | undefined) => PromiseLike<Page<T>>,
): Promise<T[][]> {
  const pages: T[][] = [];
  for (let page = await read(undefined); ; page = await read(page.cursor)) {
    pages.push(page.items);
    if (page.cursor === null) return pages;
  }
}

/** One user message for each string. */
export function say(...contents: readonly string[]): MessageInput[] {
  return contents.map((content) => ({ role: "user", content }));
}

/** The id of an entry that must be there. */
export function idOf(entry: Entry | undefined): string {
  assert.ok(entry !== undefined, "There is no entry");
  return entry.id;
}

export function texts(entries: readonly Entry[]): unknown[] {
  return entries.map((entry) => entry.message?.content);
}
