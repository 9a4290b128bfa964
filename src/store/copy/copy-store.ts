/**
 * A store into another one, whatever engines they have: the same conversations
 * with the same logs, proved at the end by comparing what both hold.
 *
 * It can be stopped or killed at any moment. The next run compares what is
 * there and goes on behind it; nothing is written twice and nothing is
 * overwritten. The source is only read.
 */
import type { ConversationInfo, Finding } from "../../engine/index.ts";
import { asColloquyError, ColloquyError, type ErrorCode } from "../../errors.ts";
import { checkProperties } from "../../message/validate.ts";
import { checkSignal, type StoreAccess } from "../access.ts";
import { accessOf, type Store } from "../store.ts";
import { BlobCarrier } from "./copy-blobs.ts";
import { contentHash, copyConversation } from "./copy-conversation.ts";

export interface CopyProgress {
  /** Done with, of so many. */
  readonly conversations: number;
  readonly total: number;
  /** Read so far. */
  readonly entries: number;
}

export interface CopyOptions {
  /** Only say what would be done. Conflicts are found all the same. */
  readonly dryRun?: boolean;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: CopyProgress) => void;
}

/** What could not be copied, or not as it should be. */
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
  /** Entries that were not there yet. */
  readonly added: number;
  /** SHA-256 over all that the conversation holds; the same in both stores when it is verified. */
  readonly hash: string;
  readonly verified: boolean;
}

export interface CopyReport {
  readonly conversations: number;
  readonly entries: number;
  /** Every conversation was read back from the target and holds what the source holds. */
  readonly verified: boolean;
  /** SHA-256 over the hashes of all conversations, by id. */
  readonly hash: string;
  readonly skipped: readonly CopySkip[];
  readonly items: readonly CopyItem[];
}

const OPTIONS: ReadonlySet<string> = new Set(["dryRun", "signal", "onProgress"]);

/** Copy every conversation, those in the trash too. Stopped by `signal` it fails, and the next run goes on. */
export async function copyStore(from: Store, to: Store, options: CopyOptions = {}): Promise<CopyReport> {
  checkProperties(options, OPTIONS, "options");
  checkSignal(options.signal);
  if (options.dryRun !== true) accessOf(to).assertWritable();
  return new StoreCopy(from, to, options).run();
}

class StoreCopy {
  readonly #source: Store;
  readonly #from: StoreAccess;
  readonly #to: StoreAccess;
  readonly #options: CopyOptions;
  readonly #blobs: BlobCarrier;
  readonly #items: CopyItem[] = [];
  readonly #skipped: CopySkip[] = [];
  #progress: CopyProgress = { conversations: 0, total: 0, entries: 0 };

  constructor(from: Store, to: Store, options: CopyOptions) {
    this.#source = from;
    this.#from = accessOf(from);
    this.#to = accessOf(to);
    this.#options = options;
    this.#blobs = new BlobCarrier(this.#from, this.#to);
  }

  async run(): Promise<CopyReport> {
    // Those in the trash first: each has its session key until it is there again.
    const all = [
      ...(await Array.fromAsync(this.#source.list({ trash: true }))),
      ...(await Array.fromAsync(this.#source.list())),
    ];
    this.#tell({ total: all.length });
    for (const info of all) {
      this.#checkStop();
      await this.#copy(info);
      this.#tell({ conversations: this.#progress.conversations + 1 });
    }
    await this.#addDamage();
    return this.#report();
  }

  async #copy({ id, key }: ConversationInfo): Promise<void> {
    const dryRun = this.#options.dryRun === true;
    const step = (entries: number): void => {
      this.#tell({ entries: this.#progress.entries + entries });
      this.#checkStop();
    };
    try {
      const use = { from: this.#from, to: this.#to, blobs: this.#blobs, dryRun, step };
      const { info, entries, added, hash } = await copyConversation(use, id);
      const verified = !dryRun && (await contentHash(this.#to, id)).hash === hash;
      this.#items.push({ id, key: info.key, title: info.title, entries, added, hash, verified });
    } catch (error) {
      const known = asColloquyError(error, `Cannot copy conversation ${id}`);
      // One that cannot be copied must not keep the others back; a disk that is full, or a stop, concerns all.
      if (!CONCERNS_ONE.has(known.code)) throw known;
      this.#skipped.push({ conversation: id, key, code: known.code, reason: known.message });
    }
  }

  /** What the source itself cannot read any more is not in the copy either, and that is said. */
  async #addDamage(): Promise<void> {
    const { findings } = await this.#source.verify();
    for (const finding of findings.filter(({ code }) => LOSSES.has(code))) {
      const { conversation } = finding;
      const key = this.#items.find(({ id }) => id === conversation)?.key ?? null;
      this.#skipped.push({ conversation, key, code: "DAMAGED", reason: placed(finding) });
    }
  }

  #report(): CopyReport {
    const items = this.#items;
    return {
      conversations: items.length,
      entries: items.reduce((sum, { entries }) => sum + entries, 0),
      verified: items.every(({ verified }) => verified),
      hash: overallHash(items),
      skipped: this.#skipped,
      items,
    };
  }

  #tell(changed: Partial<CopyProgress>): void {
    this.#progress = { ...this.#progress, ...changed };
    this.#options.onProgress?.(this.#progress);
  }

  #checkStop(): void {
    if (!this.#options.signal?.aborted) return;
    const { conversations, total } = this.#progress;
    throw new ColloquyError(
      "SERVICE_UNAVAILABLE",
      `Stopped: ${conversations} of ${total} conversations are copied. The same again goes on from there`,
      { details: { conversations, total } },
    );
  }
}

/** One number for many conversations, in whatever order they come. */
export function overallHash(items: readonly Pick<CopyItem, "id" | "hash">[]): string {
  const { createHash } = process.getBuiltinModule("node:crypto");
  const sums = items.map(({ id, hash }) => `${id} ${hash}\n`).sort();
  return createHash("sha256").update(sums.join("")).digest("hex");
}

const CONCERNS_ONE: ReadonlySet<ErrorCode> = new Set([
  "CONFLICT",
  "VALIDATION_ERROR",
  "NOT_FOUND",
  "NOT_SUPPORTED",
]);

/** Findings that mean that words are missing, as against counts that are wrong or parents that are unknown. */
const LOSSES: ReadonlySet<string> = new Set([
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

function placed({ code, source, line, message }: Finding): string {
  const place = source === null ? "" : ` (${source}${line === null ? "" : `, line ${line}`})`;
  return `${code}: ${message}${place}`;
}
