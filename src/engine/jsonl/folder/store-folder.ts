import { join } from "node:path";
import type { FileIo } from "../../../disk/file-io.ts";
import { NEWLINE, readChunk } from "../../../disk/line-scan.ts";
import { freeName, removeLeftovers, replaceFile } from "../../../disk/replace-file.ts";
import { withExistingFile } from "../../../disk/with-file.ts";
import { ColloquyError, invalid, unavailable } from "../../../errors.ts";
import { checkSum, sealObject } from "../../../transcript/lines.ts";
import { timestamp17 } from "../../../util/time.ts";
import type { Random } from "../../../util/uuid.ts";
import { MARKER_FILE, stemOf, TRASH_FOLDER } from "./names.ts";

/**
 * The version of the folder, not of its lines. Version 3 has branches, blobs and the feed: a program that knows
 * only version 2 would read all branches as one and not write the feed.
 */
const STORE_VERSION = 3;
const MARKER_BYTES_MAX = 4096;

interface Surroundings {
  readonly io: FileIo;
  readonly random: Random;
  nowMs(): number;
  readonly problems: { report(place: string, message: string): void };
}

/** Checks that a folder is a store of a known version, and removes leftovers of killed writers. */
export class StoreFolder {
  readonly #surroundings: Surroundings;
  readonly #io: FileIo;
  readonly #path: string;

  constructor(surroundings: Surroundings, path: string) {
    this.#surroundings = surroundings;
    this.#io = surroundings.io;
    this.#path = path;
  }

  /** Make the folder a store, or check that it is one. */
  async prepare(readonly: boolean, withLock: <T>(work: () => T) => Promise<T>): Promise<void> {
    const stat = this.#io.stat(this.#path);
    if (stat !== undefined && !stat.isFolder) {
      throw invalid(`${this.#path} is a file; the jsonl engine needs a folder`, "target");
    }
    if (readonly) {
      if (stat === undefined || (this.#checkMarker() === undefined && !this.#holdsTranscripts())) {
        throw new ColloquyError("NOT_FOUND", `There is no store at ${this.#path}`);
      }
      return;
    }
    try {
      if (stat === undefined) this.#io.makeFolder(this.#path);
    } catch (error) {
      throw unavailable(`Cannot create ${this.#path}: ${(error as Error).message}`, { cause: error });
    }
    if (stat !== undefined) this.#checkEmptyOrOurs();
    await withLock(() => {
      const marker = this.#checkMarker();
      for (const folder of [this.#path, join(this.#path, TRASH_FOLDER)]) {
        if (this.#io.stat(folder) !== undefined) removeLeftovers(this.#io, folder);
      }
      if (marker !== STORE_VERSION) this.#writeMarker(marker === "damaged");
    });
  }

  /** A folder with other files does not become a store, and no lock file is left in it. */
  #checkEmptyOrOurs(): void {
    if (this.#checkMarker() !== undefined || this.#holdsTranscripts()) return;
    const foreign = this.#io
      .list(this.#path)
      .find((name) => !name.startsWith("store.") && !name.startsWith("."));
    if (foreign !== undefined) {
      throw invalid(
        `${this.#path} is not empty (${foreign}) and is not a store: choose another folder`,
        "target",
      );
    }
  }

  #holdsTranscripts(): boolean {
    return this.#io.list(this.#path).some((name) => stemOf(name) !== undefined);
  }

  /**
   * The version, or `undefined` without a marker; `unsealed` if it was written before markers had a checksum.
   * Throws for a newer version or another program.
   */
  #checkMarker(): number | "damaged" | "unsealed" | undefined {
    const path = join(this.#path, MARKER_FILE);
    const bytes = withExistingFile(this.#io, path, (file) => readChunk(this.#io, file, 0, MARKER_BYTES_MAX));
    if (bytes === undefined) return undefined;
    let marker: { format?: unknown; version?: unknown } | null = null;
    try {
      marker = JSON.parse(bytes.toString("utf8"));
    } catch {
      // Refused below.
    }
    if (marker?.format !== "colloquy-jsonl" || typeof marker.version !== "number") {
      if (this.#holdsTranscripts()) {
        // It says only the version of the folder, and our logs are beside it.
        this.#surroundings.problems.report(path, `${path} is damaged; the store was recognised by its logs`);
        return "damaged";
      }
      throw invalid(`${this.#path} belongs to another program: ${MARKER_FILE} is not Colloquy's`, "target");
    }
    const sum = checkSum(bytes.subarray(0, bytes.lastIndexOf(NEWLINE)));
    // Every newer version has a checksum.
    if (sum === "wrong" || (sum === "none" && marker.version > STORE_VERSION)) {
      this.#surroundings.problems.report(path, `${path} is damaged; its format was recognised`);
      return "damaged";
    }
    if (marker.version > STORE_VERSION) {
      throw new ColloquyError(
        "NOT_SUPPORTED",
        `${this.#path} was written by a newer Colloquy (format ${marker.version}, this one knows ${STORE_VERSION}). Update Colloquy`,
      );
    }
    return sum === "none" ? "unsealed" : marker.version;
  }

  #writeMarker(isDamaged: boolean): void {
    const { io, random, nowMs } = this.#surroundings;
    const path = join(this.#path, MARKER_FILE);
    const marker = sealObject({ format: "colloquy-jsonl", version: STORE_VERSION });
    const aside = isDamaged ? { formerAs: freeName(io, `${path}.bad-${timestamp17(nowMs())}`) } : {};
    replaceFile(path, marker, { io, random, ...aside });
  }
}
