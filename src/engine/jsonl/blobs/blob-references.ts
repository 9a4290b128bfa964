import type { FileIo } from "../../../disk/file-io.ts";
import { linesForward } from "../../../disk/line-scan.ts";
import { withFile } from "../../../disk/with-file.ts";
import { checkSum, decodeLine } from "../../../transcript/lines.ts";
import { advance, bareLine, EMPTY_LOG } from "../../../transcript/log-state.ts";
import type { Freed } from "../../removal-rules.ts";
import type { Catalogue } from "../folder/catalogue.ts";
import type { CatalogueEntry } from "../folder/catalogue-entry.ts";
import type { BlobFiles } from "./blob-files.ts";

const MEMBER = Buffer.from('"blobs":[');
const HASH = /[0-9a-f]{64}/g;

interface Scanned {
  readonly inode: bigint;
  readonly bytes: number;
  readonly hashes: Set<string>;
}

/** The blobs that the entries of a store refer to. Logs without references are not read. */
export class BlobReferences {
  readonly #io: FileIo;
  readonly #catalogue: Catalogue;
  readonly #blobs: BlobFiles;
  readonly #scanned = new Map<string, Scanned>();

  constructor(io: FileIo, catalogue: Catalogue, blobs: BlobFiles) {
    this.#io = io;
    this.#catalogue = catalogue;
    this.#blobs = blobs;
  }

  /** A damaged line keeps its blobs too: everything in it that looks like a reference counts. */
  of({ stem, log, seenLog, logPath, logMissing }: CatalogueEntry): ReadonlySet<string> {
    // Damaged lines are not counted as entries.
    if (logMissing || seenLog === undefined || (log.blobs === 0 && log.entries === log.lastSeq)) return NONE;
    const known = this.#scanned.get(stem);
    const goesOn = known?.inode === seenLog.inode && known.bytes <= log.bytes;
    const hashes = goesOn ? known.hashes : new Set<string>();
    withFile(this.#io, logPath, "read", (file) => {
      for (const raw of linesForward(this.#io, file, goesOn ? known.bytes : 0, log.bytes)) {
        const line = bareLine(raw);
        if (line !== undefined) for (const hash of referencesIn(line)) hashes.add(hash);
      }
    });
    this.#scanned.set(stem, { inode: seenLog.inode, bytes: log.bytes, hashes });
    return hashes;
  }

  /** The blobs that the readable entries of a log refer to. */
  exactlyOf({ log, logPath, logMissing }: CatalogueEntry): Set<string> {
    const hashes = new Set<string>();
    if (logMissing || log.blobs === 0) return hashes;
    withFile(this.#io, logPath, "read", (file) => {
      advance(this.#io, file, EMPTY_LOG, log.bytes, {
        entry: ({ blobs = [] }) => {
          for (const { hash } of blobs) hashes.add(hash);
        },
      });
    });
    return hashes;
  }

  /** Every blob that some log refers to. */
  inUse(): Set<string> {
    const used = new Set<string>();
    for (const known of this.#catalogue.all()) for (const hash of this.of(known)) used.add(hash);
    return used;
  }

  /** Remove the given blobs that nothing refers to any more, under the lock. */
  dropUnused(hashes: Iterable<string>): Freed {
    const candidates = [...hashes];
    const used = candidates.length === 0 ? NONE : this.inUse();
    return this.#blobs.drop(candidates.filter((hash) => !used.has(hash)));
  }
}

const NONE: ReadonlySet<string> = new Set();

/** An entry may also name blobs that it does not refer to, such as one that was damaged and is stored elsewhere now. */
function* referencesIn(line: Buffer): Generator<string> {
  if (!line.includes(MEMBER) && checkSum(line) === "right") return;
  const decoded = decodeLine(line);
  if (decoded.ok) for (const { hash } of decoded.entry?.blobs ?? []) yield hash;
  else for (const [hash] of line.toString("latin1").matchAll(HASH)) yield hash;
}
