/**
 * Legacy transcripts in a folder, rewritten as a `jsonl:` store where they lie.
 *
 * Each conversation is migrated by itself and read back: it must hold what was
 * read from the legacy file. A run that is stopped or killed leaves every
 * conversation in the one form or the other, and the next run goes on.
 */
import type { ConversationInfo, Finding, LegacyConversation } from "../../engine/index.ts";
import { asColloquyError, ColloquyError } from "../../errors.ts";
import type { StoreAccess } from "../../store/access.ts";
import { contentHash } from "../../store/copy/copy-conversation.ts";
import type {
  CopyItem,
  CopyOptions,
  CopyProgress,
  CopyReport,
  CopySkip,
} from "../../store/copy/copy-store.ts";
import { overallHash } from "../../store/copy/copy-store.ts";
import { openStore } from "../../store/open.ts";
import { accessOf } from "../../store/store.ts";

/** `items` are the conversations that were, or would be, rewritten; `skipped` what of them is kept in the legacy file only. */
export async function migrateToV2(folder: string, options: CopyOptions = {}): Promise<CopyReport> {
  const dryRun = options.dryRun === true;
  const sessions = { autoMigrate: false };
  await using store = await openStore(`jsonl:${folder}`, { readonly: dryRun, sessions, onProblem: () => {} });
  return await new Migration(accessOf(store), options, dryRun).run();
}

class Migration {
  readonly #store: StoreAccess;
  readonly #options: CopyOptions;
  readonly #dryRun: boolean;
  readonly #items: CopyItem[] = [];
  readonly #skipped: CopySkip[] = [];
  #progress: CopyProgress = { conversations: 0, total: 0, entries: 0 };

  constructor(store: StoreAccess, options: CopyOptions, dryRun: boolean) {
    this.#store = store;
    this.#options = options;
    this.#dryRun = dryRun;
  }

  async run(): Promise<CopyReport> {
    const legacy = await this.#store.ask((engine) => engine.legacyConversations());
    this.#tell({ total: legacy.length });
    for (const one of legacy) {
      this.#checkStop();
      await this.#migrate(one);
      this.#tell({ conversations: this.#progress.conversations + 1 });
    }
    const { findings } = await this.#store.ask((engine) => engine.verify());
    for (const finding of findings) if (finding.code === "foreign-file") this.#skip(finding, null);
    return {
      conversations: this.#items.length,
      entries: this.#items.reduce((sum, { entries }) => sum + entries, 0),
      verified: this.#items.every(({ verified }) => verified),
      hash: overallHash(this.#items),
      skipped: this.#skipped,
      items: this.#items,
    };
  }

  async #migrate({ conversation, findings }: LegacyConversation): Promise<void> {
    const store = this.#store;
    const info = (await store.ask((engine) => engine.byId(conversation))) as ConversationInfo;
    const { id, key, title } = info;
    try {
      const before = await contentHash(store, id);
      if (!this.#dryRun) await store.ask((engine) => engine.migrateLegacy(id));
      const after = this.#dryRun ? undefined : await contentHash(store, id);
      const { hash, entries } = before;
      this.#items.push({ id, key, title, entries, added: entries, hash, verified: after?.hash === hash });
      this.#tell({ entries: this.#progress.entries + entries });
      for (const finding of findings) this.#skip(finding, key);
    } catch (error) {
      const known = asColloquyError(error, `Cannot migrate ${id}`);
      if (known.code === "SERVICE_UNAVAILABLE") throw known;
      this.#skipped.push({ conversation: id, key, code: known.code, reason: known.message });
    }
  }

  #skip({ code, conversation, source, line, message }: Finding, key: string | null): void {
    const place = source === null ? "" : ` (${source}${line === null ? "" : `, line ${line}`})`;
    this.#skipped.push({ conversation, key, code: "DAMAGED", reason: `${code}: ${message}${place}` });
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
      `Stopped: ${conversations} of ${total} conversations are migrated. The same again goes on from there`,
    );
  }
}
