/**
 * Rewrites the legacy transcripts of a store's folder in the current format.
 *
 * Each conversation is migrated separately and read back: it must hold what
 * the legacy file held. A run that is stopped or killed leaves every
 * conversation in one form or the other, and the next run continues.
 */
import type { ConversationInfo, LegacyConversation } from "../../engine/index.ts";
import { asColloquyError } from "../../errors.ts";
import type { StoreAccess } from "../access.ts";
import { contentHash } from "./copy-conversation.ts";
import { CopyRun } from "./copy-run.ts";
import { type CopyOptions, type CopyReport, checkCopyOptions } from "./copy-store.ts";

/** See `store.migrateLegacy`. */
export async function migrateLegacy(store: StoreAccess, options: CopyOptions): Promise<CopyReport> {
  checkCopyOptions(options);
  return new Migration(store, options, options.dryRun === true).run();
}

class Migration {
  readonly #store: StoreAccess;
  readonly #dryRun: boolean;
  readonly #run: CopyRun;

  constructor(store: StoreAccess, options: CopyOptions, dryRun: boolean) {
    this.#store = store;
    this.#dryRun = dryRun;
    this.#run = new CopyRun(options, "migrated");
  }

  async run(): Promise<CopyReport> {
    const legacy = await this.#store.ask((engine) => engine.legacyConversations());
    await this.#run.each(legacy, (one) => this.#migrate(one));
    const { findings } = await this.#store.ask((engine) => engine.verify());
    for (const finding of findings) if (finding.code === "foreign-file") this.#run.addDamage(finding, null);
    return this.#run.report();
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
      this.#run.items.push({ id, key, title, entries, added: entries, hash, verified: after?.hash === hash });
      this.#run.addEntries(entries);
      for (const finding of findings)
        if (finding.code !== "cycle" || !store.allowCircularReferences) this.#run.addDamage(finding, key);
    } catch (error) {
      const known = asColloquyError(error, `Cannot migrate ${id}`);
      if (known.code === "SERVICE_UNAVAILABLE") throw known;
      this.#run.skipped.push({ conversation: id, key, code: known.code, reason: known.message });
    }
  }
}
