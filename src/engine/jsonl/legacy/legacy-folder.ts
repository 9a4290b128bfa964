/** Finds the legacy transcripts in the folder of a store, and assigns each its name in the store. */
import { basename, dirname, join } from "node:path";
import type { FileIo } from "../../../disk/file-io.ts";
import { NEWLINE, readChunk } from "../../../disk/line-scan.ts";
import { withFile } from "../../../disk/with-file.ts";
import { decodeLine } from "../../../transcript/lines.ts";
import { timestamp17 } from "../../../util/time.ts";
import { isOfStore, logName, metadataName, stemOf, TRASH_FOLDER } from "../folder/names.ts";
import { madeUuid } from "./convert.ts";
import { LegacyFile } from "./legacy-file.ts";
import { isLegacy, type LegacyFacts, type LegacyFiles, readFacts } from "./source.ts";

export interface Virtual {
  readonly file: LegacyFile;
  readonly what: "log" | "metadata";
}

/** A legacy file that was migrated but not moved, because the process was killed. */
export interface LeftBehind {
  readonly files: LegacyFiles;
  readonly movedTo: string;
}

const HEADER_BYTES_MAX = 4096;

export class LegacyFolder {
  readonly #io: FileIo;
  readonly #folder: string;
  readonly #virtual = new Map<string, Virtual>();
  /** A legacy file, one that is already migrated, or the path of another file. */
  readonly #byName = new Map<string, LegacyFile | LeftBehind | string>();

  constructor(io: FileIo, folder: string) {
    this.#io = io;
    this.#folder = folder;
  }

  get isEmpty(): boolean {
    return this.#virtual.size === 0;
  }

  /** The names of the legacy files in the store. */
  names(): string[] {
    return [...this.#virtual.keys()].map((path) => basename(path));
  }

  /** The legacy file under this name, unless it is gone or a real file now has the name. */
  at(path: string): Virtual | undefined {
    if (this.#virtual.size === 0) return undefined;
    const virtual = this.#virtual.get(path);
    if (virtual === undefined) return undefined;
    if (virtual.what === "metadata" && this.#io.stat(path) !== undefined) return undefined;
    if (virtual.file.stat() !== undefined) return virtual;
    this.release(virtual.file);
    return undefined;
  }

  /** Check whether a log that was never counted is in a legacy format. */
  notice(path: string): void {
    const stem = stemOf(basename(path));
    if (stem === undefined || dirname(path) !== this.#folder || this.#virtual.has(path)) return;
    if (this.#io.stat(path)?.isFolder !== false || !isLegacy(this.#io, path)) return;
    const files = { name: stem, log: path, metadata: join(this.#folder, metadataName(stem)) };
    const facts = readFacts(this.#io, files);
    if (facts !== undefined)
      this.#virtual.set(path, { what: "log", file: new LegacyFile(this.#io, files, facts, stem) });
  }

  /** Stop presenting a file, which is migrated now. */
  release(file: LegacyFile): void {
    for (const [path, virtual] of this.#virtual) if (virtual.file === file) this.#virtual.delete(path);
    this.#byName.delete(file.files.name);
  }

  /** Look for legacy files among these names. */
  discover(names: readonly string[]): void {
    const found = names.filter((name) => !isOfStore(name)).flatMap((name) => this.#filesOf(name) ?? []);
    const present = new Set(found.map(({ name }) => name));
    for (const [name, file] of [...this.#byName]) {
      if (present.has(name)) continue;
      if (file instanceof LegacyFile) this.release(file);
      this.#byName.delete(name);
    }
    for (const files of found.sort((a, b) => (a.name < b.name ? -1 : 1))) this.#learn(files);
  }

  #filesOf(name: string): LegacyFiles | undefined {
    const path = join(this.#folder, name);
    if (name.endsWith(".jsonl")) {
      const bare = name.slice(0, -".jsonl".length);
      const beside = join(this.#folder, `${bare}.meta.json`);
      return { name: bare, log: path, metadata: beside };
    }
    const log = join(path, "transcript.jsonl");
    if (!this.#io.stat(path)?.isFolder || this.#io.stat(log) === undefined) return undefined;
    // A file beside the folder may have the same name.
    return { name: `${name}/`, log, metadata: join(path, "metadata.json") };
  }

  #learn(files: LegacyFiles): void {
    if (this.#byName.has(files.name)) return;
    const facts = this.#factsOf(files);
    const found = facts === undefined ? files.log : this.#placed(files, facts);
    this.#byName.set(files.name, found);
    if (!(found instanceof LegacyFile)) return;
    this.#virtual.set(join(this.#folder, logName(found.stem)), { file: found, what: "log" });
    this.#virtual.set(join(this.#folder, metadataName(found.stem)), { file: found, what: "metadata" });
  }

  #factsOf(files: LegacyFiles): LegacyFacts | undefined {
    try {
      return readFacts(this.#io, files);
    } catch {
      // A folder, or an unreadable file.
      return undefined;
    }
  }

  /**
   * Choose the first free stem from its creation time on, unless the log is
   * already there. Messages that the legacy program writes after the migration
   * become a separate conversation: nothing is lost or overwritten.
   */
  #placed(files: LegacyFiles, facts: LegacyFacts): LegacyFile | LeftBehind {
    let known = facts;
    for (let ms = Math.max(0, Date.parse(facts.header.createdAt)); ; ms++) {
      const stem = timestamp17(ms);
      const path = join(this.#folder, logName(stem));
      if (this.#virtual.has(path)) continue;
      const file = new LegacyFile(this.#io, files, known, stem);
      const there = [path, join(this.#folder, TRASH_FOLDER, logName(stem))].filter(
        (place) => this.#io.stat(place) !== undefined,
      );
      const same = there.find((place) => this.#headerId(place) === known.header.id);
      if (there.length === 0) return file;
      if (same === undefined) continue;
      if (this.#holds(same, file)) return { files, movedTo: stem };
      known = renamed(facts, madeUuid(files.name, stem));
    }
  }

  /** Whether a log starts with the conversion of a legacy file. */
  #holds(path: string, legacy: LegacyFile): boolean {
    const converted = legacy.log() ?? Buffer.alloc(0);
    const log = withFile(this.#io, path, "read", (file) =>
      readChunk(this.#io, file, 0, converted.length + HEADER_BYTES_MAX),
    );
    // The headers differ if the session key was in use.
    const entries = withoutHeader(converted);
    return withoutHeader(log).subarray(0, entries.length).equals(entries);
  }

  #headerId(path: string): string | undefined {
    const start = withFile(this.#io, path, "read", (file) => readChunk(this.#io, file, 0, HEADER_BYTES_MAX));
    const line = decodeLine(Buffer.from(start.subarray(0, start.indexOf(NEWLINE))));
    return line.ok ? line.header?.id : undefined;
  }

  leftBehind(): LeftBehind[] {
    return [...this.#byName.values()].flatMap((found) =>
      typeof found === "string" || found instanceof LegacyFile ? [] : [found],
    );
  }

  /** Files with the name of a transcript in an unknown format. */
  others(): string[] {
    return [...this.#byName.values()].filter((found) => typeof found === "string");
  }
}

function renamed({ header, metadata, isCurrent }: LegacyFacts, id: string): LegacyFacts {
  return { header: { ...header, id }, metadata: { ...metadata, id }, isCurrent };
}

function withoutHeader(log: Buffer): Buffer {
  return log.subarray(log.indexOf(NEWLINE) + 1);
}
