/**
 * Copies a store into another one, whatever their engines: the same
 * conversations with the same logs, verified at the end by comparing both.
 *
 * It can be stopped or killed at any moment. The next run compares what
 * exists and continues after it; nothing is written twice and nothing is
 * overwritten. The source is only read.
 */
import type { ConversationInfo } from "../../engine/index.ts";
import { asColloquyError, type ErrorCode } from "../../errors.ts";
import { checkProperties } from "../../message/validate.ts";
import { checkSignal, type StoreAccess } from "../access.ts";
import { type ConversationQuery, listAll, listPage } from "../read/conversation-pages.ts";
import { BlobCarrier } from "./copy-blobs.ts";
import { contentHash, copyConversation } from "./copy-conversation.ts";
import { copyJobs } from "./copy-jobs.ts";
import { keysInCopy } from "./copy-keys.ts";
import { CopyRun } from "./copy-run.ts";

export interface CopyProgress {
  /** Conversations finished so far. */
  readonly conversations: number;
  readonly total: number;
  /** Entries read so far. */
  readonly entries: number;
}

export interface CopyOptions {
  /** Only report what would be done, including conflicts. */
  readonly dryRun?: boolean;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: CopyProgress) => void;
}

/** Conversations that could not be copied, or not completely. */
export interface CopySkip {
  readonly conversation: string | null;
  readonly key: string | null;
  readonly code: ErrorCode | "DAMAGED";
  readonly reason: string;
}

export interface CopyItem {
  readonly id: string;
  readonly key: string | null;
  readonly title: string | null;
  readonly entries: number;
  /** Entries that were new in the target. */
  readonly added: number;
  /** SHA-256 over the content of the conversation; equal in both stores when it is verified. */
  readonly hash: string;
  readonly verified: boolean;
}

export interface CopyReport {
  readonly conversations: number;
  readonly entries: number;
  /** Every conversation was read back from the target and equals the source. */
  readonly verified: boolean;
  /** SHA-256 of the hashes of all conversations, by id. */
  readonly hash: string;
  readonly skipped: readonly CopySkip[];
  readonly items: readonly CopyItem[];
}

const OPTIONS: ReadonlySet<string> = new Set(["dryRun", "signal", "onProgress"]);

export function checkCopyOptions(options: CopyOptions): void {
  checkProperties(options, OPTIONS, "options");
  checkSignal(options.signal);
}

/** See `store.copyTo`. */
export async function copyStore(
  from: StoreAccess,
  to: StoreAccess,
  options: CopyOptions,
): Promise<CopyReport> {
  checkCopyOptions(options);
  if (options.dryRun !== true) to.assertWritable();
  return new StoreCopy(from, to, options).run();
}

class StoreCopy {
  readonly #from: StoreAccess;
  readonly #to: StoreAccess;
  readonly #options: CopyOptions;
  readonly #blobs: BlobCarrier;
  readonly #run: CopyRun;

  constructor(from: StoreAccess, to: StoreAccess, options: CopyOptions) {
    this.#from = from;
    this.#to = to;
    this.#options = options;
    this.#blobs = new BlobCarrier(this.#from, this.#to);
    this.#run = new CopyRun(options, "copied");
  }

  async run(): Promise<CopyReport> {
    // The trash first: each conversation holds its session key until it is trashed again.
    const trashed = await listed(this.#from, { trash: true });
    const live = await listed(this.#from, {});
    const keys = await keysInCopy(this.#to, trashed, live);
    await this.#run.each([...trashed, ...live], (info) => this.#copy(info, keys.get(info.id) ?? null));
    if (this.#options.dryRun !== true) {
      await this.#copyMarks();
      await copyJobs(this.#from, this.#to);
    }
    await this.#addDamage();
    return this.#run.report();
  }

  async #copy({ id }: ConversationInfo, key: string | null): Promise<void> {
    const dryRun = this.#options.dryRun === true;
    const step = (entries: number): void => {
      this.#run.addEntries(entries);
      this.#run.checkStop();
    };
    try {
      const use = { from: this.#from, to: this.#to, blobs: this.#blobs, dryRun, key, step };
      const { info, entries, added, hash } = await copyConversation(use, id);
      const verified = !dryRun && (await contentHash(this.#to, id)).hash === hash;
      this.#run.items.push({ id, key: info.key, title: info.title, entries, added, hash, verified });
    } catch (error) {
      const known = asColloquyError(error, `Cannot copy conversation ${id}`);
      // A conversation that cannot be copied must not stop the others; a full disk or a stop ends the run.
      if (!CONCERNS_ONE.has(known.code)) throw known;
      this.#run.skipped.push({ conversation: id, key, code: known.code, reason: known.message });
    }
  }

  /** What was purged from the source stays away from the copy, too. */
  async #copyMarks(): Promise<void> {
    for (let from = "", more = true; more; ) {
      const marks = await this.#from.ask((engine) => engine.purged(from, MARKS_PAGE));
      if (marks.length > 0) await this.#to.queue.push({ type: "mark-purged", marks });
      from = `${marks.at(-1)}\0`;
      more = marks.length === MARKS_PAGE;
    }
  }

  /** Content that the source can no longer read is not in the copy, and is reported. */
  async #addDamage(): Promise<void> {
    const { findings } = await this.#from.ask((engine) => engine.verify());
    for (const finding of findings.filter(({ code }) => LOSSES.has(code))) {
      const { conversation } = finding;
      const key = this.#run.items.find(({ id }) => id === conversation)?.key ?? null;
      this.#run.addDamage(finding, key);
    }
  }
}

const MARKS_PAGE = 1000;

const CONCERNS_ONE: ReadonlySet<ErrorCode> = new Set([
  "CONFLICT",
  "VALIDATION_ERROR",
  "NOT_FOUND",
  "NOT_SUPPORTED",
]);

/** Findings that mean lost content, as opposed to wrong counts or unknown parents. */
const LOSSES: ReadonlySet<string> = new Set([
  ...["lost-entry", "lost-metadata", "lost-blob"],
  ...["bad-line", "bad-entry", "bad-blob", "missing-blob", "missing-log", "unreadable-log", "shrunk-log"],
  ...[
    "foreign-file",
    "duplicate-conversation",
    "duplicate-id",
    "damaged-file",
    "orphan-entry",
    "bad-journal",
  ],
]);

function listed(store: StoreAccess, query: ConversationQuery): Promise<ConversationInfo[]> {
  return Array.fromAsync(listAll(store, query, listPage(store, query)));
}
