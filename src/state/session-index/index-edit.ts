import type { KeyConfig } from "../../key/index.ts";
import { readDocument, type SessionDocument, writeDocument } from "./document.ts";
import type { SessionEntry, SessionStore } from "./entry.ts";
import { findLine, isOurs, type Line, withLine, withoutLine } from "./lines.ts";

export interface IndexEditOptions {
  readonly config?: KeyConfig | undefined;
  /** Returns the entries that can be recovered from a damaged or a missing (`undefined`) index. */
  readonly recover: (damaged: Buffer | undefined) => SessionStore;
}

/** The index while it is changed under the lock. Reads and writes single lines as long as that is enough. */
export class IndexEdit {
  readonly #options: IndexEditOptions;
  /** The text in pieces, until all of it is needed. */
  #pieces: readonly Buffer[] | undefined;
  #document: SessionDocument | undefined;
  #changed = false;
  #recovered = false;

  constructor(bytes: Buffer | undefined, options: IndexEditOptions) {
    this.#options = options;
    this.#pieces = bytes && [bytes];
  }

  /** Whether the file is damaged and has to be set aside. */
  get recovered(): boolean {
    return this.#recovered;
  }

  get(key: string): SessionEntry | undefined {
    const line = this.#line(key);
    return line === null ? this.all()[key] : line?.entry;
  }

  /** Set the entry of a key, or remove it with `undefined`. */
  put(key: string, entry: SessionEntry | undefined): void {
    const line = this.#line(key);
    const pieces = line === null ? undefined : this.#edited(line, key, entry);
    if (pieces !== undefined) {
      this.#changed ||= pieces !== this.#pieces;
      this.#pieces = pieces;
      return;
    }
    const entries = this.all();
    this.#changed ||= entry !== undefined || Object.hasOwn(entries, key);
    if (entry === undefined) delete entries[key];
    else entries[key] = entry;
  }

  /** All entries. Do not modify them: use `put` and `replace`. */
  all(): SessionStore {
    return this.#whole().entries;
  }

  replace(entries: SessionStore): void {
    this.#document = { ...this.#whole(), entries };
    this.#changed = true;
  }

  /** The new content in pieces, or `undefined` when nothing changed. */
  content(): readonly Buffer[] | undefined {
    if (!this.#changed) return undefined;
    return this.#pieces ?? [writeDocument(this.#whole())];
  }

  /** The text in one piece. */
  #bytes(): Buffer | undefined {
    if (this.#pieces !== undefined && this.#pieces.length > 1) this.#pieces = [Buffer.concat(this.#pieces)];
    return this.#pieces?.[0];
  }

  /** `null` when single lines are not enough. */
  #line(key: string): Line | null | undefined {
    const bytes = this.#bytes();
    return bytes !== undefined && isOurs(bytes) ? findLine(bytes, key) : null;
  }

  #edited(
    line: Line | undefined,
    key: string,
    entry: SessionEntry | undefined,
  ): readonly Buffer[] | undefined {
    const bytes = this.#bytes() as Buffer;
    if (entry !== undefined) return withLine(bytes, line, key, entry);
    return line === undefined ? this.#pieces : withoutLine(bytes, line);
  }

  #whole(): SessionDocument {
    this.#document ??= this.#read();
    this.#pieces = undefined;
    return this.#document;
  }

  #read(): SessionDocument {
    const bytes = this.#bytes();
    const document = bytes === undefined ? undefined : readDocument(bytes.toString(), this.#options.config);
    if (document !== undefined) return document;
    const entries = this.#options.recover(bytes);
    this.#recovered = bytes !== undefined;
    this.#changed ||= this.#recovered || Object.keys(entries).length > 0;
    return { entries, others: {}, migrated: true };
  }
}
