import { join } from "node:path";
import type { FileIo, Presence } from "../../../disk/file-io.ts";
import { readChunk } from "../../../disk/line-scan.ts";
import { replaceFile } from "../../../disk/replace-file.ts";
import { withFile } from "../../../disk/with-file.ts";
import { checkSum, sealObject } from "../../../transcript/lines.ts";
import { isPlainObject } from "../../../util/json.ts";
import type { Random } from "../../../util/uuid.ts";
import { damagedLease, decideLease, type LeaseState, NO_LEASE } from "../../leases.ts";
import type { LeaseGrant, LeaseOperation } from "../../operations.ts";
import { leaseName, PRESENCE_FOLDER } from "../folder/names.ts";

/**
 * The leases of conversations, a small file for each that was ever leased.
 *
 * The files are not synced: no holder survives a power cut, and none is left
 * that remembers an epoch.
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
    const path = join(this.#folder, leaseName(stem));
    const stat = this.#io.stat(path);
    if (stat === undefined) return NO_LEASE;
    return withFile(this.#io, path, "read", (file) => {
      return decode(readChunk(this.#io, file, 0, stat.size)) ?? damagedLease(this.#nowMs());
    });
  }

  /** Under the lock. */
  decide(stem: string, operation: LeaseOperation): LeaseGrant {
    // A holder or waiter must be visibly alive first.
    if (operation.action === "acquire") this.#presence.announce();
    const before = this.read(stem);
    const { state, lease } = decideLease(before, operation, this.#presence);
    if (state === before) return lease;
    const path = join(this.#folder, leaseName(stem));
    replaceFile(path, sealObject(state), { io: this.#io, random: this.#random, sync: false });
    return lease;
  }

  close(): void {
    this.#presence.close();
  }
}

function decode(bytes: Buffer): LeaseState | undefined {
  const line = bytes.subarray(0, -1);
  if (checkSum(line) !== "right") return undefined;
  const value: unknown = JSON.parse(line.toString("utf8"));
  const { epoch, waiting } = value as Partial<LeaseState>;
  const isState = isPlainObject(value) && Number.isSafeInteger(epoch) && Array.isArray(waiting);
  return isState ? (value as unknown as LeaseState) : undefined;
}
