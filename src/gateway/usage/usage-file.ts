/** Keeps counts in a file, which can be deleted at any time: it is made again from the store. */
import { readFileSync } from "node:fs";
import { systemIo } from "../../disk/file-io.ts";
import { replaceFile } from "../../disk/replace-file.ts";
import { isPlainObject } from "../../util/json.ts";
import { systemRandom } from "../../util/uuid.ts";

export interface CountedRow {
  /** As in `2026-11-16`, in UTC. */
  readonly day: string;
  /** Empty for messages without one. */
  readonly model: string;
  messages: number;
  inputTokens: number;
  outputTokens: number;
  cacheReadTokens: number;
  cacheWriteTokens: number;
  cost: number | null;
}

export interface CountedConversation {
  /** Whether it has changed since. */
  readonly stamp: string;
  /** The last message that was counted. */
  readonly last: string | undefined;
  readonly messages: number;
  readonly rows: readonly CountedRow[];
}

const VERSION = 1;

export class UsageFile {
  readonly #path: string;
  readonly #store: string;
  #counted: Map<string, CountedConversation>;
  #isChanged = false;

  /** `store`: the counts of another one are of no use. */
  constructor(path: string, store: string) {
    this.#path = path;
    this.#store = store;
    this.#counted = this.#read();
  }

  get(id: string): CountedConversation | undefined {
    return this.#counted.get(id);
  }

  set(id: string, counted: CountedConversation): void {
    this.#counted.set(id, counted);
    this.#isChanged = true;
  }

  /** Of a conversation that was purged, nothing is kept. */
  keepOnly(ids: ReadonlySet<string>): void {
    for (const id of this.#counted.keys()) {
      if (ids.has(id)) continue;
      this.#counted.delete(id);
      this.#isChanged = true;
    }
  }

  save(): void {
    if (!this.#isChanged || this.#store === "") return;
    const conversations = Object.fromEntries(this.#counted);
    const text = JSON.stringify({ version: VERSION, store: this.#store, conversations });
    replaceFile(this.#path, Buffer.from(text), { io: systemIo, random: systemRandom, sync: false });
    this.#isChanged = false;
  }

  #read(): Map<string, CountedConversation> {
    try {
      const found: unknown = JSON.parse(readFileSync(this.#path, "utf8"));
      if (!isPlainObject(found) || found.version !== VERSION || found.store !== this.#store) return new Map();
      return new Map(Object.entries(found.conversations as Record<string, CountedConversation>));
    } catch {
      return new Map();
    }
  }
}
