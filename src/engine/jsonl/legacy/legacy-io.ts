/**
 * Presents the folder of a store as if its legacy transcripts were migrated.
 *
 * The layers above see a legacy file as a log and its metadata, which they read
 * like any other. Nothing is written for that. A folder without legacy files
 * costs one check of each name in its listing.
 */
import { join } from "node:path";
import type { FileIo, FileLock, FileStat, Presence } from "../../../disk/file-io.ts";
import { replaceFile } from "../../../disk/replace-file.ts";
import { type ColloquyError, unavailable } from "../../../errors.ts";
import { systemRandom } from "../../../util/uuid.ts";
import { logName } from "../folder/names.ts";
import type { LegacyFile } from "./legacy-file.ts";
import { type LeftBehind, LegacyFolder } from "./legacy-folder.ts";

interface Opened {
  readonly bytes: Buffer;
  readonly stat: FileStat;
}

/** The memory for converted logs. */
const KEPT_BYTES = 64 * 1024 * 1024;

export class LegacyIo implements FileIo {
  readonly #io: FileIo;
  readonly #folder: string;
  readonly #legacy: LegacyFolder;
  readonly #opened = new Map<number, Opened>();
  /** In order of last use. */
  readonly #kept = new Map<LegacyFile, number>();
  #nextFile = -1;

  constructor(io: FileIo, folder: string) {
    this.#io = io;
    this.#folder = folder;
    this.#legacy = new LegacyFolder(io, folder);
  }

  /** The disk without the presented files. */
  get real(): FileIo {
    return this.#io;
  }

  get isEmpty(): boolean {
    return this.#legacy.isEmpty;
  }

  /** The legacy file of a conversation, if it has one. */
  ofStem(stem: string): LegacyFile | undefined {
    return this.ofLog(join(this.#folder, logName(stem)));
  }

  ofLog(path: string): LegacyFile | undefined {
    return this.#legacy.at(path)?.file;
  }

  /** Check whether a log that was never counted is in a legacy format. */
  notice(path: string): void {
    this.#legacy.notice(path);
  }

  /** It is migrated. */
  release(file: LegacyFile): void {
    this.#legacy.release(file);
    this.#kept.delete(file);
  }

  /** Files that interrupted migrations did not move. */
  leftBehind(): LeftBehind[] {
    return this.#legacy.leftBehind();
  }

  /** Files with the name of a transcript in an unknown format. */
  others(): string[] {
    return this.#legacy.others();
  }

  list(folder: string): string[] {
    const names = this.#io.list(folder);
    if (folder !== this.#folder) return names;
    this.#legacy.discover(names);
    if (this.#legacy.isEmpty) return names;
    const there = new Set(names);
    const made = this.#legacy.names().filter((name) => !there.has(name));
    // First, so that a migrated conversation with the same session key takes precedence.
    return [...made, ...names];
  }

  #look(path: string): Opened | undefined {
    const virtual = this.#legacy.at(path);
    if (virtual === undefined) return undefined;
    const { file, what } = virtual;
    const stat = file.stat();
    const bytes = what === "log" ? file.log() : file.metadata();
    if (stat === undefined || bytes === undefined) return undefined;
    if (what === "metadata") return { bytes, stat: metadataStat(stat, bytes) };
    this.#keep(file, bytes.length);
    return { bytes, stat };
  }

  #keep(file: LegacyFile, size: number): void {
    this.#kept.delete(file);
    this.#kept.set(file, size);
    let total = [...this.#kept.values()].reduce((sum, one) => sum + one, 0);
    for (const [oldest, bytes] of this.#kept) {
      if (total <= KEPT_BYTES || oldest === file) break;
      oldest.forget();
      this.#kept.delete(oldest);
      total -= bytes;
    }
  }

  open(path: string, mode: "read" | "write" | "create"): number {
    const found = this.#look(path);
    if (found === undefined || mode === "create") return this.#io.open(path, mode);
    const file = this.#nextFile--;
    this.#opened.set(file, found);
    return file;
  }

  close(file: number): void {
    if (file >= 0) this.#io.close(file);
    else this.#opened.delete(file);
  }

  read(file: number, into: Uint8Array, position: number): number {
    if (file >= 0) return this.#io.read(file, into, position);
    const { bytes } = this.#opened.get(file) as Opened;
    const part = bytes.subarray(position, position + into.length);
    into.set(part);
    return part.length;
  }

  stat(path: string): FileStat | undefined {
    const virtual = this.#legacy.at(path);
    if (virtual === undefined) return this.#io.stat(path);
    const stat = virtual.file.stat();
    if (stat === undefined || virtual.what === "log") return stat;
    return metadataStat(stat, virtual.file.metadata());
  }

  statOpen(file: number): FileStat {
    return file >= 0 ? this.#io.statOpen(file) : (this.#opened.get(file) as Opened).stat;
  }

  write(file: number, bytes: Uint8Array, position: number): number {
    if (file < 0) throw notWritable();
    return this.#io.write(file, bytes, position);
  }

  truncate(file: number, size: number): void {
    if (file < 0) throw notWritable();
    this.#io.truncate(file, size);
  }

  /** Appends to a legacy file are synced at once. */
  sync(file: number): void {
    if (file >= 0) this.#io.sync(file);
  }

  async syncLater(file: number): Promise<void> {
    if (file >= 0) await this.#io.syncLater(file);
  }

  syncFolder(folder: string): void {
    this.#io.syncFolder(folder);
  }

  touch(path: string, ms: number): void {
    this.#io.touch(path, ms);
  }

  rename(from: string, to: string): void {
    this.#io.rename(from, to);
  }

  link(existing: string, name: string): void {
    const found = this.#look(existing);
    if (found === undefined) this.#io.link(existing, name);
    else replaceFile(name, found.bytes, { io: this.#io, random: systemRandom });
  }

  remove(path: string): void {
    this.#io.remove(path);
  }

  removeFolder(path: string): void {
    this.#io.removeFolder(path);
  }

  makeFolder(path: string): void {
    this.#io.makeFolder(path);
  }

  lock(path: string): FileLock {
    return this.#io.lock(path);
  }

  presence(folder: string): Presence {
    return this.#io.presence(folder);
  }

  bootId(): string {
    return this.#io.bootId();
  }
}

function notWritable(): ColloquyError {
  return unavailable("A file in a legacy format must be migrated before it can be written");
}

/** Does not change when lines are appended. */
function metadataStat(stat: FileStat, bytes: Buffer): FileStat {
  return { ...stat, size: bytes.length, modifiedNs: 0n };
}
