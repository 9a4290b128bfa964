import { join } from "node:path";
import type { FileIo, Presence } from "../../../disk/file-io.ts";
import { NEWLINE, readChunk } from "../../../disk/line-scan.ts";
import { replaceFile } from "../../../disk/replace-file.ts";
import { withExistingFile, withFile } from "../../../disk/with-file.ts";
import { unavailable } from "../../../errors.ts";
import { checkSum, sealObject } from "../../../transcript/lines.ts";
import { isPlainObject } from "../../../util/json.ts";
import type { Random } from "../../../util/uuid.ts";
import { damagedLease, decideLease, type LeaseState, NO_LEASE } from "../../leases.ts";
import type { LeaseGrant, LeaseOperation } from "../../operations.ts";
import { leaseName, PRESENCE_FOLDER } from "../folder/names.ts";

/** A write of this size to the beginning of a file is never torn by the death of its process. */
const PAGE_BYTES = 4096;

/**
 * The leases of conversations, a small file for each that was ever leased: one line, and maybe the rest of a longer one.
 *
 * The files are not synced: no holder survives a power cut, and none is left
 * that remembers an epoch. They are written in place, because a rename would make the file system wait for the disk.
 */
export class LeaseFiles {
  readonly #io: FileIo;
  readonly #random: Random;
  readonly #nowMs: () => number;
  readonly #folder: string;
  readonly #presence: Presence;

  constructor(io: FileIo, random: Random, nowMs: () => number, folder: string) {
    this.#io = io;
    this.#random = random;
    this.#nowMs = nowMs;
    this.#folder = folder;
    this.#presence = io.presence(join(folder, PRESENCE_FOLDER));
  }

  read(stem: string): LeaseState {
    return withExistingFile(this.#io, this.#path(stem), (file) => this.#state(file)) ?? NO_LEASE;
  }

  /** Under the lock. */
  decide(stem: string, operation: LeaseOperation): LeaseGrant {
    // A holder or waiter must be visibly alive first.
    if (operation.action === "acquire") this.#presence.announce();
    const before = this.read(stem);
    const { state, lease } = decideLease(before, operation, this.#presence);
    if (state !== before) this.#write(this.#path(stem), sealObject(state));
    return lease;
  }

  #write(path: string, line: Buffer): void {
    const links = this.#io.stat(path)?.links;
    if (links !== 1 || line.length > PAGE_BYTES) {
      replaceFile(path, line, { io: this.#io, random: this.#random, sync: false });
      return;
    }
    const written = withFile(this.#io, path, "write", (file) => this.#io.write(file, line, 0));
    if (written !== line.length) throw unavailable(`Cannot write to ${path}: the disk is probably full`);
  }

  #path(stem: string): string {
    return join(this.#folder, leaseName(stem));
  }

  #state(file: number): LeaseState {
    const page = Buffer.allocUnsafe(PAGE_BYTES);
    const bytes = page.subarray(0, this.#io.read(file, page, 0));
    const isWhole = bytes.includes(NEWLINE);
    const line = isWhole ? bytes : readChunk(this.#io, file, 0, this.#io.statOpen(file).size);
    return decode(line) ?? damagedLease(this.#nowMs());
  }

  close(): void {
    this.#presence.close();
  }
}

function decode(bytes: Buffer): LeaseState | undefined {
  const line = bytes.subarray(0, Math.max(0, bytes.indexOf(NEWLINE)));
  if (checkSum(line) !== "right") return undefined;
  const value: unknown = JSON.parse(line.toString("utf8"));
  const { epoch, waiting } = value as Partial<LeaseState>;
  const isState = isPlainObject(value) && Number.isSafeInteger(epoch) && Array.isArray(waiting);
  return isState ? (value as unknown as LeaseState) : undefined;
}
