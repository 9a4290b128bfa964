import { join } from "node:path";
import { type FileIo, type FileLock, systemIo } from "../disk/file-io.ts";
import { checkHeld, withLockSync } from "../disk/with-lock.ts";
import { asColloquyError, type ColloquyError, unavailable } from "../errors.ts";
import { type Clock, systemClock } from "../util/time.ts";
import { type Random, systemRandom } from "../util/uuid.ts";
import { MetadataFile } from "./metadata-file.ts";

export interface TranscriptOptions {
  readonly io?: FileIo;
  readonly clock?: Clock;
  readonly random?: Random;
  /** File names inside the folder. */
  readonly files?: { readonly transcript: string; readonly metadata: string };
  /** Called for each damaged line. Default: emits a process warning. */
  readonly onDamage?: (damage: TranscriptDamage) => void;
}

/** Unreadable bytes of the transcript. They stay in the file, or were set aside. */
export interface TranscriptDamage {
  readonly file: string;
  readonly start: number;
  readonly end: number;
  readonly reason: string;
}

/** Where a transcript is, and everything that its parts need to read and write it. */
export class TranscriptFiles {
  readonly folder: string;
  readonly path: string;
  readonly metadata: MetadataFile;
  readonly io: FileIo;
  readonly clock: Clock;
  readonly random: Random;
  readonly onDamage: (damage: TranscriptDamage) => void;
  readonly #lock: FileLock;

  constructor(folder: string, options: TranscriptOptions) {
    const { transcript, metadata } = options.files ?? {
      transcript: "transcript.jsonl",
      metadata: "metadata.json",
    };
    this.folder = folder;
    this.path = join(folder, transcript);
    this.io = options.io ?? systemIo;
    this.clock = options.clock ?? systemClock;
    this.random = options.random ?? systemRandom;
    this.metadata = new MetadataFile(this.io, this.random, this.clock, join(folder, metadata));
    this.onDamage = options.onDamage ?? warn;
    this.#lock = this.io.lock(join(folder, `${transcript}.lock`));
  }

  withLock<T>(work: () => T): T {
    return this.mapErrors("Cannot write to", () => withLockSync(this.#lock, this.folder, work));
  }

  /** Call it before a write, under the lock. */
  checkLock(): void {
    checkHeld(this.#lock, this.folder);
  }

  /** Errors of the file system reach the caller as a `ColloquyError`. */
  mapErrors<T>(doing: string, work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw asColloquyError(error, `${doing} ${this.folder}`);
    }
  }

  close(): void {
    this.#lock.close();
  }
}

export function damaged(damage: TranscriptDamage): ColloquyError {
  const { file, start, end, reason } = damage;
  return unavailable(`${file}: bytes ${start} to ${end} are damaged: ${reason}`, { details: { ...damage } });
}

function warn(damage: TranscriptDamage): void {
  process.emitWarning(
    `${damage.file}: bytes ${damage.start} to ${damage.end}: ${damage.reason}`,
    "ColloquyWarning",
  );
}
