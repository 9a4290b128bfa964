import { join } from "node:path";
import type { FileIo } from "../../../disk/file-io.ts";
import { readChunk } from "../../../disk/line-scan.ts";
import { removeLeftovers, replaceFile } from "../../../disk/replace-file.ts";
import { withExistingFile } from "../../../disk/with-file.ts";
import { ColloquyError, invalid, unavailable } from "../../../errors.ts";
import type { Random } from "../../../util/uuid.ts";
import { MARKER_FILE, stemOf, TRASH_FOLDER } from "./names.ts";

/**
 * Of the folder, not of its lines. Version 3 has branches, blobs and the feed: what knows only version 2 would
 * read all branches as one and write past the feed.
 */
const STORE_VERSION = 3;
const MARKER_BYTES_MAX = 4096;

/** The folder of a store: whose it is, which version wrote it, and what a killed writer left in it. */
export class StoreFolder {
  readonly #io: FileIo;
  readonly #random: Random;
  readonly #path: string;

  constructor(io: FileIo, random: Random, path: string) {
    this.#io = io;
    this.#random = random;
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
      const current = this.#checkMarker() === STORE_VERSION;
      for (const folder of [this.#path, join(this.#path, TRASH_FOLDER)]) {
        if (this.#io.stat(folder) !== undefined) removeLeftovers(this.#io, folder);
      }
      if (!current) this.#writeMarker();
    });
  }

  /** Somebody's folder of other files is not taken over, and no lock file is left in it. */
  #checkEmptyOrOurs(): void {
    if (this.#checkMarker() !== undefined || this.#holdsTranscripts()) return;
    const foreign = this.#io
      .list(this.#path)
      .find((name) => !name.startsWith("store.") && !name.startsWith("."));
    if (foreign !== undefined) {
      throw invalid(
        `${this.#path} is not empty (${foreign}) and holds no store: choose a folder of its own`,
        "target",
      );
    }
  }

  #holdsTranscripts(): boolean {
    return this.#io.list(this.#path).some((name) => stemOf(name) !== undefined);
  }

  /** The version; `undefined` when there is no marker yet. A newer one, or that of another program, is refused. */
  #checkMarker(): number | undefined {
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
      throw invalid(`${this.#path} belongs to another program: ${MARKER_FILE} is not Colloquy's`, "target");
    }
    if (marker.version > STORE_VERSION) {
      throw new ColloquyError(
        "NOT_SUPPORTED",
        `${this.#path} was written by a newer Colloquy (format ${marker.version}, this one knows ${STORE_VERSION}). Update Colloquy`,
      );
    }
    return marker.version;
  }

  #writeMarker(): void {
    const marker = Buffer.from(`${JSON.stringify({ format: "colloquy-jsonl", version: STORE_VERSION })}\n`);
    replaceFile(join(this.#path, MARKER_FILE), marker, { io: this.#io, random: this.#random });
  }
}
