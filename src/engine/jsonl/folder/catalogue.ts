/**
 * The conversations of a folder, in memory.
 *
 * Every look-up checks first whether another process has changed anything: a
 * change of metadata shows in the counter, an append in the size of the log.
 * Entries that the metadata file has not counted are counted from the log.
 */

import { join } from "node:path";
import { EMPTY_LOG } from "../../../transcript/log-state.ts";
import { LegacyClaims } from "../legacy/claims.ts";
import type { LegacyIo } from "../legacy/legacy-io.ts";
import type { CatalogueEntry } from "./catalogue-entry.ts";
import type { ChangeCounter } from "./change-counter.ts";
import { ConversationReader, sameFile } from "./conversation-reader.ts";
import { purgeName, TRASH_FOLDER } from "./names.ts";
import { presentStems } from "./present-stems.ts";
import type { ProblemReporter } from "./problem-reporter.ts";

export class Catalogue {
  readonly #io: LegacyIo;
  readonly #folder: string;
  readonly #trash: string;
  readonly #counter: ChangeCounter;
  readonly #problems: ProblemReporter;
  readonly #reader: ConversationReader;
  readonly #byStem = new Map<string, CatalogueEntry>();
  readonly #byId = new Map<string, CatalogueEntry>();
  readonly #byKey = new Map<string, CatalogueEntry>();
  readonly #claims = new LegacyClaims((known) => this.refreshLog(known));
  #readAt: number | undefined;

  constructor(io: LegacyIo, folder: string, counter: ChangeCounter, problems: ProblemReporter) {
    this.#io = io;
    this.#folder = folder;
    this.#trash = join(folder, TRASH_FOLDER);
    this.#counter = counter;
    this.#problems = problems;
    this.#reader = new ConversationReader(io, { live: folder, trash: this.#trash }, problems);
  }

  /** The conversation without a look at its log, for a writer, which reads the log itself. */
  peek(id: string): CatalogueEntry | undefined {
    this.checkChanges();
    return this.#settled(this.#byId.get(id));
  }

  /** The conversation with all its appends, or `undefined`. */
  byId(id: string): CatalogueEntry | undefined {
    this.checkChanges();
    return this.#fresh(this.#byId.get(id));
  }

  byKey(key: string): CatalogueEntry | undefined {
    this.checkChanges();
    const holder = (): CatalogueEntry | undefined => this.#byKey.get(key) ?? this.#claims.byKey(key);
    this.#settled(holder());
    // Another one may have the key now.
    return this.#fresh(holder());
  }

  byStem(stem: string): CatalogueEntry | undefined {
    this.checkChanges();
    return this.#fresh(this.#byStem.get(stem));
  }

  all(): CatalogueEntry[] {
    // Reading the folder refreshes every log too.
    if (!this.checkChanges()) {
      for (const known of this.#byStem.values()) this.refreshLog(known);
      this.#claims.compareAll();
    }
    return [...this.#byStem.values()];
  }

  has(stem: string): boolean {
    return this.#byStem.has(stem);
  }

  /** Forget one conversation and read it again. */
  reread(stem: string): CatalogueEntry | undefined {
    const former = this.#byStem.get(stem);
    const wanted = former && this.#claims.of(former);
    const known = this.#rediscover(stem);
    const keys = [wanted, former?.metadata.key, known && this.#claims.of(known), known?.metadata.key];
    this.#settleClaims(keys.filter((key) => typeof key === "string"));
    return known;
  }

  #rediscover(stem: string): CatalogueEntry | undefined {
    this.#forget(stem);
    if (this.#io.stat(join(this.#folder, purgeName(stem))) !== undefined) return undefined;
    for (const trashed of [false, true]) {
      const paths = this.#reader.paths(stem, trashed);
      if (this.#io.stat(paths.logPath) === undefined) continue;
      return this.#discover(stem, trashed);
    }
    return this.#io.stat(this.#reader.paths(stem, false).metadataPath) === undefined
      ? undefined
      : this.#discover(stem, false);
  }

  /** Count a log from its start at the next look. */
  recount(logPath: string): void {
    for (const known of this.#byStem.values()) {
      if (known.logPath !== logPath) continue;
      const metadata = { ...known.metadata, log: EMPTY_LOG };
      Object.assign(known, { log: EMPTY_LOG, seenLog: undefined, metadata });
    }
  }

  /** Skip the next check for a change of this process. Under the lock, after `checkChanges`. */
  trustCounter(): void {
    this.#readAt = this.#counter.stable();
  }

  #fresh(known: CatalogueEntry | undefined): CatalogueEntry | undefined {
    if (known === undefined) return undefined;
    this.refreshLog(known);
    return this.#settled(known);
  }

  /** Read the folder again if anything but messages has changed, and return whether it has. */
  checkChanges(): boolean {
    const stable = this.#counter.stable();
    const isChanged = stable === undefined || stable !== this.#readAt;
    if (isChanged) this.#readFolder();
    // The value before reading: a change during it makes the next check read again.
    this.#readAt = stable;
    return isChanged;
  }

  /** Of all keys, or of those that a conversation had or has now. */
  #settleClaims(keys?: readonly string[]): void {
    this.#claims.settle((key) => this.#byKey.has(key), keys);
  }

  /** With the session key that it has now. */
  #settled(known: CatalogueEntry | undefined): CatalogueEntry | undefined {
    if (known !== undefined) this.#claims.compareFor(known);
    return known;
  }

  #readFolder(): void {
    const present = presentStems(this.#io, this.#folder, this.#trash);
    for (const stem of [...this.#byStem.keys()]) {
      if (present.get(stem) !== this.#byStem.get(stem)?.trashed) this.#forget(stem);
    }
    for (const [stem, isTrashed] of present) this.#look(stem, isTrashed);
    this.#settleClaims();
  }

  #look(stem: string, trashed: boolean): void {
    const known = this.#byStem.get(stem);
    if (known === undefined || !sameFile(known.seenMetadata, this.#io.stat(known.metadataPath))) {
      this.#forget(stem);
      this.#discover(stem, trashed, known);
    } else {
      this.refreshLog(known);
    }
  }

  #discover(stem: string, trashed: boolean, former?: CatalogueEntry): CatalogueEntry | undefined {
    const known = this.#reader.read(stem, trashed, former);
    if (known === undefined) return undefined;
    const twin = this.#byId.get(known.metadata.id);
    if (twin !== undefined) {
      const reason = `it is a copy of ${twin.logPath}, with the same conversation id`;
      this.#problems.leftAlone(known.logPath, reason);
      return undefined;
    }
    this.#remember(known);
    return known;
  }

  /** Add the lines that were appended to the log since the last look. */
  refreshLog(known: CatalogueEntry): void {
    this.#reader.refreshLog(known);
  }

  #remember(known: CatalogueEntry): void {
    this.#byStem.set(known.stem, known);
    this.#byId.set(known.metadata.id, known);
    if (known.trashed) return;
    const legacy = this.#io.ofStem(known.stem);
    const key = legacy === undefined ? known.metadata.key : legacy.facts.header.key;
    if (key === null) return;
    if (legacy === undefined) this.#byKey.set(key, known);
    else this.#claims.add(known, key);
  }

  #forget(stem: string): void {
    const known = this.#byStem.get(stem);
    if (known === undefined) return;
    this.#byStem.delete(stem);
    if (this.#byId.get(known.metadata.id) === known) this.#byId.delete(known.metadata.id);
    this.#claims.remove(known);
    const { key } = known.metadata;
    if (key !== null && this.#byKey.get(key) === known) this.#byKey.delete(key);
  }
}
