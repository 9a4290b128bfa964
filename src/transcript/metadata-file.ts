import type { FileIo } from "../disk/file-io.ts";
import { replaceFile } from "../disk/replace-file.ts";
import type { Clock } from "../util/time.ts";
import type { Random } from "../util/uuid.ts";
import {
  backupOf,
  encodeMetadata,
  type Metadata,
  type MetadataRead,
  readMetadata,
  setDamagedAside,
} from "./metadata.ts";

const WRITE_EVERY_APPENDS = 64;
const WRITE_EVERY_MS = 1000;

/**
 * The metadata file of one transcript.
 *
 * It lags behind the log: writing it with every append would cost several times
 * the append.
 */
export class MetadataFile {
  readonly path: string;
  readonly #io: FileIo;
  readonly #random: Random;
  readonly #clock: Clock;
  #isDamaged = false;
  /** When the file was last read or written. */
  #seenMs = 0;
  #appends = 0;

  constructor(io: FileIo, random: Random, clock: Clock, path: string) {
    this.path = path;
    this.#io = io;
    this.#random = random;
    this.#clock = clock;
  }

  read(): MetadataRead {
    const read = readMetadata(this.#io, this.path);
    this.#isDamaged = read.damage !== undefined;
    this.#seenMs = this.#clock();
    return read;
  }

  /** Replace the file, under the lock. If the last read found it damaged, it is set aside. */
  write(metadata: Metadata): void {
    if (this.#isDamaged) setDamagedAside(this.#io, this.path, this.#clock());
    this.#isDamaged = false;
    replaceFile(this.path, encodeMetadata(metadata), {
      io: this.#io,
      random: this.#random,
      formerAs: backupOf(this.path),
    });
    this.#seenMs = this.#clock();
    this.#appends = 0;
  }

  /** Count an append. Returns whether the file is due to be written. */
  countAppend(): boolean {
    this.#appends++;
    return this.#appends >= WRITE_EVERY_APPENDS || this.#clock() - this.#seenMs >= WRITE_EVERY_MS;
  }

  /** Whether there were appends since the last write. */
  get isBehind(): boolean {
    return this.#appends > 0;
  }
}
