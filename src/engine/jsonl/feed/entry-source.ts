import type { StoredEntry } from "../../../message/types.ts";
import { LogReader } from "../../../transcript/log-reader.ts";
import type { CatalogueEntry } from "../folder/catalogue-entry.ts";
import type { JsonlContext } from "../jsonl-context.ts";

const ENTRIES_AT_ONCE = 256;
const BYTES_AT_ONCE = 4 * 1024 * 1024;

interface OpenSource {
  readonly known: CatalogueEntry;
  readonly reader: LogReader;
  entries: Map<number, StoredEntry>;
  from: number;
  to: number;
}

/** Reads entries by `seq` in runs, because a feed usually continues where it was. */
export class EntrySource {
  readonly #context: JsonlContext;
  readonly #open = new Map<string, OpenSource | undefined>();

  constructor(context: JsonlContext) {
    this.#context = context;
  }

  conversation(stem: string): CatalogueEntry | undefined {
    return this.#of(stem)?.known;
  }

  entry({ stem }: CatalogueEntry, seq: number): StoredEntry | undefined {
    const open = this.#of(stem);
    if (open === undefined) return undefined;
    if (seq < open.from || seq > open.to) {
      const limits = { limit: ENTRIES_AT_ONCE, bytesMax: BYTES_AT_ONCE };
      const { entries, more } = open.reader.page({ direction: "forward", from: seq - 1, ...limits });
      open.entries = new Map(entries.map((entry) => [entry.seq, entry]));
      open.from = seq;
      open.to = more ? (entries.at(-1)?.seq ?? seq) : Number.MAX_SAFE_INTEGER;
    }
    return open.entries.get(seq);
  }

  #of(stem: string): OpenSource | undefined {
    if (!this.#open.has(stem)) this.#open.set(stem, this.#look(stem));
    return this.#open.get(stem);
  }

  #look(stem: string): OpenSource | undefined {
    const { catalogue, io } = this.#context;
    let known = catalogue.byStem(stem);
    // Another process may be moving the log, so look twice before calling it missing.
    if (known?.logMissing) known = catalogue.reread(stem);
    while (known !== undefined && !known.logMissing) {
      const { logPath, log, seenLog } = known;
      try {
        const reader = new LogReader(io, logPath, undefined, seenLog && { ...log, inode: seenLog.inode });
        return { known, reader, entries: new Map(), from: 1, to: 0 };
      } catch (error) {
        // Another process may have moved it since.
        const moved = catalogue.reread(stem);
        if (moved === undefined || moved.logPath === logPath) throw error;
        known = moved;
      }
    }
    return undefined;
  }

  [Symbol.dispose](): void {
    for (const open of this.#open.values()) open?.reader.close();
  }
}
