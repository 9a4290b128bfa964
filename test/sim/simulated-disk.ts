/**
 * A disk in memory that knows what was written from what would survive.
 *
 * A file's content is durable up to its last `sync`; names (created, renamed,
 * linked, removed) are durable once their folder was synced. `crash()` gives
 * the disk that a new process finds after a power cut: of everything else,
 * each piece may be there whole, torn at any byte, with pages missing in the
 * middle (they read as zeros, as on a journalling file system), or not at all.
 *
 * What is taken for granted, as ext4, XFS, Btrfs and APFS do: a rename is one
 * event, also between two folders; a change of a file's length is never
 * overtaken by a later write to it; bytes that were never written read as
 * zeros, not as the remains of another file. Folders are durable when
 * `makeFolder` returns, because the real one syncs their parents.
 *
 * Everything random comes from the dice, so one seed replays one run.
 */
import { dirname, resolve } from "node:path";
import type { FileIo, FileLock, FileStat, Presence } from "../../src/disk/file-io.ts";
import type { Dice } from "./dice.ts";

/** What goes wrong. All off by default; may be switched at any time. */
export interface Faults {
  /** The power fails at this change, counted from 1; its effect may or may not have taken place. */
  crashAt?: number;
  /** The next write accepts only this many bytes, without an error. */
  shortWrite?: number;
  /** So many more bytes fit; then a write is short, and after that it throws `ENOSPC`. */
  bytesLeft?: number;
  /** So many coming writes throw `EIO`. */
  failingWrites?: number;
  /** So many coming syncs throw `EIO`; the pages count as clean afterwards. */
  failingSyncs?: number;
  failingTruncates?: number;
  failingRenames?: number;
  failingFolderSyncs?: number;
  /** Controls: a store on such a disk must lose acknowledged writes, or the test sees nothing. */
  /** Every other sync returns without having done anything. */
  lyingSync?: boolean;
  /** No sync does anything. */
  noSync?: boolean;
  /** No folder sync does anything, so a power cut can undo renames. */
  noFolderSync?: boolean;
  /** No sync of these files and folders does anything. */
  noSyncOf?: RegExp;
}

type Change =
  | { readonly type: "write"; readonly position: number; readonly bytes: Buffer }
  | { readonly type: "truncate"; readonly size: number };

interface Inode {
  readonly number: bigint;
  /** What a power cut leaves for certain. */
  durable: Buffer;
  /** What programs see. */
  cached: Buffer;
  /** In order, since the last sync. */
  pending: Change[];
  modifiedNs: bigint;
}

/** One change of names. It survives whole or not at all. */
type NameChange = readonly { readonly path: string; readonly inode: Inode | undefined }[];

/** What a power cut leaves. */
interface Remains {
  readonly names: Map<string, Inode>;
  readonly folders: Set<string>;
  readonly lastNumber: bigint;
  /** How often the power came back. */
  readonly lives: number;
  /** How often the machine restarted. */
  readonly boot: number;
}

const PAGE_BYTES = 4096;
const SECTOR_BYTES = 512;

/** Thrown by every call from the power cut on. */
class PowerCut extends Error {
  constructor() {
    super("the power failed");
  }
}

export class SimulatedDisk implements FileIo {
  readonly faults: Faults = {};
  /** Changes so far: everything but reading. */
  changes = 0;
  /** Calls of any kind so far. */
  calls = 0;
  readonly #dice: Dice;
  readonly #folders: Set<string>;
  readonly #durableNames: Map<string, Inode>;
  readonly #names: Map<string, Inode>;
  #pendingNames: NameChange[] = [];
  readonly #open = new Map<number, Inode>();
  readonly #locks = new Map<string, FileLock>();
  #lastNumber: bigint;
  #lastFile = 2;
  #off = false;
  readonly #lives: number;
  readonly #boot: number;
  readonly #present = new Set<string>();
  #lastPresence = 0;
  /** The clock of the machine, which a test moves on. */
  upMs = 0;

  constructor(
    dice: Dice,
    left: Remains = { names: new Map(), folders: new Set(["/"]), lastNumber: 0n, lives: 1, boot: 1 },
  ) {
    this.#dice = dice;
    this.#durableNames = left.names;
    this.#names = new Map(left.names);
    this.#folders = left.folders;
    this.#lastNumber = left.lastNumber;
    this.#lives = left.lives;
    this.#boot = left.boot;
  }

  /** Files that were opened and not closed. */
  get openFiles(): number {
    return this.#open.size;
  }

  /** The power has failed. */
  get off(): boolean {
    return this.#off;
  }

  /** Cut the power. This disk is dead from now on; the new one is what is left of it. The machine may keep running. */
  crash(restarts: boolean = this.#dice.chance(0.5)): SimulatedDisk {
    this.#off = true;
    for (const change of this.#survivors()) apply(this.#durableNames, change);
    const copies = new Map<Inode, Inode>();
    const names = new Map<string, Inode>();
    for (const [path, inode] of this.#durableNames) {
      const copy = copies.get(inode) ?? this.#afterPowerCut(inode);
      copies.set(inode, copy);
      names.set(path, copy);
    }
    return new SimulatedDisk(this.#dice, {
      names,
      folders: new Set(this.#folders),
      lastNumber: this.#lastNumber,
      lives: this.#lives + 1,
      boot: this.#boot + (restarts ? 1 : 0),
    });
  }

  open(path: string, mode: "read" | "write" | "create"): number {
    const change = mode === "create";
    return this.#call(change, () => {
      const name = resolve(path);
      let inode = this.#names.get(name);
      if (this.#folders.has(name)) throw systemError("EISDIR", path);
      if (!this.#folders.has(dirname(name))) throw systemError("ENOENT", path);
      if (mode === "create") {
        if (inode !== undefined) throw systemError("EEXIST", path);
        inode = {
          number: ++this.#lastNumber,
          durable: NOTHING,
          cached: NOTHING,
          pending: [],
          modifiedNs: 0n,
        };
        this.#rename([{ path: name, inode }]);
      }
      if (inode === undefined) throw systemError("ENOENT", path);
      this.#open.set(++this.#lastFile, inode);
      return this.#lastFile;
    });
  }

  close(file: number): void {
    this.#call(false, () => {
      this.#inode(file);
      this.#open.delete(file);
    });
  }

  read(file: number, into: Uint8Array, position: number): number {
    return this.#call(false, () => {
      const { cached } = this.#inode(file);
      const count = Math.max(0, Math.min(into.length, cached.length - position));
      into.set(cached.subarray(position, position + count));
      return count;
    });
  }

  write(file: number, bytes: Uint8Array, position: number): number {
    return this.#call(true, () => {
      const inode = this.#inode(file);
      this.#fail("failingWrites", "write");
      const count = this.#room(bytes.length);
      this.#change(inode, { type: "write", position, bytes: Buffer.from(bytes.subarray(0, count)) });
      return count;
    });
  }

  truncate(file: number, size: number): void {
    this.#call(true, () => {
      this.#fail("failingTruncates", "ftruncate");
      this.#change(this.#inode(file), { type: "truncate", size });
    });
  }

  sync(file: number): void {
    this.#call(true, () => {
      const inode = this.#inode(file);
      if (this.faults.noSync || (this.faults.lyingSync && this.#dice.chance(0.5))) return;
      if (
        this.faults.noSyncOf !== undefined &&
        this.#pathsOf(inode).some((path) => this.faults.noSyncOf?.test(path))
      )
        return;
      try {
        this.#fail("failingSyncs", "fdatasync");
      } catch (error) {
        this.#dropPages(inode);
        throw error;
      }
      inode.durable = inode.pending.reduce(applied, inode.durable);
      inode.pending = [];
    });
  }

  async syncLater(file: number): Promise<void> {
    await undefined;
    this.sync(file);
  }

  syncFolder(folder: string): void {
    this.#call(true, () => {
      this.#fail("failingFolderSyncs", "fsync");
      if (this.faults.noFolderSync || this.faults.noSyncOf?.test(resolve(folder))) return;
      const name = resolve(folder);
      const committed = new Set<string>();
      const commits = (change: NameChange): boolean =>
        change.some(({ path }) => dirname(path) === name || committed.has(path));
      // From the end, so that what came before a committed change of the same name goes with it.
      const still: NameChange[] = [];
      const now: NameChange[] = [];
      for (const change of this.#pendingNames.toReversed()) {
        if (!commits(change)) still.unshift(change);
        else {
          now.unshift(change);
          for (const { path } of change) committed.add(path);
        }
      }
      for (const change of now) apply(this.#durableNames, change);
      this.#pendingNames = still;
    });
  }

  stat(path: string): FileStat | undefined {
    return this.#call(false, () => {
      const name = resolve(path);
      if (this.#folders.has(name)) return { size: 0, inode: 0n, modifiedNs: 0n, isFolder: true, links: 1 };
      const inode = this.#names.get(name);
      return inode === undefined ? undefined : this.#statOf(inode);
    });
  }

  statOpen(file: number): FileStat {
    return this.#call(false, () => this.#statOf(this.#inode(file)));
  }

  touch(path: string, ms: number): void {
    this.#call(true, () => {
      this.#named(path).modifiedNs = BigInt(ms) * 1_000_000n;
    });
  }

  rename(from: string, to: string): void {
    this.#call(true, () => {
      this.#fail("failingRenames", "rename");
      if (this.#folders.has(resolve(from))) return this.#renameFolder(resolve(from), resolve(to));
      const inode = this.#named(from);
      if (this.#names.get(resolve(to)) === inode) return;
      this.#rename([
        { path: resolve(from), inode: undefined },
        { path: resolve(to), inode },
      ]);
    });
  }

  link(existing: string, name: string): void {
    this.#call(true, () => {
      const inode = this.#named(existing);
      if (this.#names.has(resolve(name))) throw systemError("EEXIST", name);
      this.#rename([{ path: resolve(name), inode }]);
    });
  }

  remove(path: string): void {
    this.#call(true, () => {
      this.#named(path);
      this.#rename([{ path: resolve(path), inode: undefined }]);
    });
  }

  removeFolder(path: string): void {
    this.#call(true, () => {
      const inside = [...this.#names.keys()].filter((name) => isInside(name, resolve(path)));
      this.#rename(inside.map((name) => ({ path: name, inode: undefined })));
      for (const folder of [...this.#folders]) {
        if (folder === resolve(path) || isInside(folder, resolve(path))) this.#folders.delete(folder);
      }
    });
  }

  makeFolder(path: string): void {
    this.#call(true, () => {
      for (let folder = resolve(path); !this.#folders.has(folder); folder = dirname(folder)) {
        this.#folders.add(folder);
      }
    });
  }

  list(folder: string): string[] {
    return this.#call(false, () => {
      const name = resolve(folder);
      if (!this.#folders.has(name)) throw systemError("ENOENT", folder);
      const inside = [...this.#names.keys(), ...this.#folders].filter(
        (path) => path !== "/" && dirname(path) === name,
      );
      return inside.map((path) => path.slice(name === "/" ? 1 : name.length + 1));
    });
  }

  /** Held in memory, so a crash releases it: the disk after it has locks of its own. */
  lock(path: string): FileLock {
    const name = resolve(path);
    const locks = this.#locks;
    const lock: FileLock = {
      tryAcquire: () => {
        if (this.#off) throw new PowerCut();
        if (locks.has(name)) return false;
        locks.set(name, lock);
        return true;
      },
      isHeld: () => locks.get(name) === lock,
      release: () => {
        if (locks.get(name) === lock) locks.delete(name);
      },
      holder: () => "another part of the simulation",
      close: () => lock.release(),
    };
    return lock;
  }

  /** Alive until it is closed or the power fails: ids of another life are those of the dead. */
  presence(): Presence {
    const id = `${this.#lives}-${++this.#lastPresence}`;
    return {
      id,
      nowMs: () => this.upMs,
      announce: () => this.#present.add(id),
      isAlive: (other) => this.#present.has(other),
      close: () => this.#present.delete(id),
    };
  }

  bootId(): string {
    return `boot ${this.#boot}`;
  }

  /** Put a file there that has always been there. */
  place(path: string, content: Buffer): void {
    this.makeFolder(dirname(path));
    const inode = {
      ...{ number: ++this.#lastNumber, durable: content, cached: content },
      ...{ pending: [], modifiedNs: 0n },
    };
    this.#names.set(resolve(path), inode);
    this.#durableNames.set(resolve(path), inode);
  }

  /** What a file holds now, for a test that looks. */
  content(path: string): Buffer {
    return this.#named(path).cached;
  }

  /** All files, for a test that looks. */
  paths(): string[] {
    return [...this.#names.keys()].sort();
  }

  #call<T>(change: boolean, work: () => T): T {
    if (this.#off) throw new PowerCut();
    this.calls++;
    if (!change) return work();
    this.changes++;
    if (this.changes !== this.faults.crashAt) return work();
    // The call in which the power fails may have reached the cache, which may have reached the disk.
    if (this.#dice.chance(0.5)) work();
    this.#off = true;
    throw new PowerCut();
  }

  #fail(
    fault: "failingWrites" | "failingSyncs" | "failingTruncates" | "failingRenames" | "failingFolderSyncs",
    syscall: string,
  ): void {
    const left = this.faults[fault] ?? 0;
    if (left <= 0) return;
    this.faults[fault] = left - 1;
    throw systemError("EIO", syscall);
  }

  /** How many of the bytes can be written. */
  #room(wanted: number): number {
    const { shortWrite, bytesLeft } = this.faults;
    let count = wanted;
    if (shortWrite !== undefined) {
      count = Math.min(count, shortWrite);
      this.faults.shortWrite = undefined;
    }
    if (bytesLeft !== undefined) {
      if (bytesLeft === 0 && wanted > 0) throw systemError("ENOSPC", "write");
      count = Math.min(count, bytesLeft);
      this.faults.bytesLeft = bytesLeft - count;
    }
    return count;
  }

  #inode(file: number): Inode {
    const inode = this.#open.get(file);
    if (inode === undefined) throw systemError("EBADF", String(file));
    return inode;
  }

  #pathsOf(inode: Inode): string[] {
    return [...this.#names].filter(([, other]) => other === inode).map(([path]) => path);
  }

  #statOf(inode: Inode): FileStat {
    const { cached, number, modifiedNs } = inode;
    const links = this.#pathsOf(inode).length;
    return { size: cached.length, inode: number, modifiedNs, isFolder: false, links };
  }

  #named(path: string): Inode {
    const inode = this.#names.get(resolve(path));
    if (inode === undefined) throw systemError("ENOENT", path);
    return inode;
  }

  #change(inode: Inode, change: Change): void {
    inode.cached = applied(inode.cached, change);
    inode.pending.push(change);
    inode.modifiedNs++;
  }

  /** With what is in it. The folders themselves count as durable, as in `makeFolder`. */
  #renameFolder(from: string, to: string): void {
    for (const folder of [...this.#folders]) {
      if (folder !== from && !isInside(folder, from)) continue;
      this.#folders.delete(folder);
      this.#folders.add(to + folder.slice(from.length));
    }
    const inside = [...this.#names].filter(([name]) => isInside(name, from));
    this.#rename(
      inside.flatMap(([name, inode]) => [
        { path: name, inode: undefined },
        { path: to + name.slice(from.length), inode },
      ]),
    );
  }

  #rename(change: NameChange): void {
    apply(this.#names, change);
    this.#pendingNames.push(change);
  }

  /** A failed sync: the kernel marks the pages clean, whether they reached the disk or not. */
  #dropPages(inode: Inode): void {
    for (const change of inode.pending) {
      if (change.type === "truncate" || this.#dice.chance(0.3))
        inode.durable = applied(inode.durable, change);
    }
    inode.pending = [];
  }

  /** Which of the names that no folder sync covered are there after the power cut. */
  #survivors(): NameChange[] {
    const pending = this.#pendingNames;
    switch (this.#dice.below(4)) {
      case 0:
        return [];
      case 1:
        return pending;
      case 2:
        return pending.slice(0, this.#dice.below(pending.length + 1));
      default:
        return pending.filter(() => this.#dice.chance(0.5));
    }
  }

  #afterPowerCut(inode: Inode): Inode {
    const content = this.#survivingContent(inode);
    return {
      number: inode.number,
      durable: content,
      cached: content,
      pending: [],
      modifiedNs: inode.modifiedNs,
    };
  }

  #survivingContent({ durable, pending }: Inode): Buffer {
    if (pending.length === 0) return durable;
    const whole = pending.reduce(applied, durable);
    const reached = pending.slice(0, this.#dice.below(pending.length + 1));
    switch (this.#dice.below(5)) {
      case 0:
        return durable;
      case 1:
        return whole;
      case 2:
        return this.#torn(durable, pending, reached.length);
      case 3:
        // The length reached the disk, the bytes did not: the rest reads as zeros.
        return padded(this.#torn(durable, pending, reached.length), whole.length);
      default:
        return this.#withPagesMissing(durable, pending);
    }
  }

  /** Everything before one write, and that write up to any byte. */
  #torn(durable: Buffer, pending: readonly Change[], index: number): Buffer {
    const before = pending.slice(0, index).reduce(applied, durable);
    const last = pending[index];
    if (last?.type !== "write") return before;
    return applied(before, {
      ...last,
      bytes: last.bytes.subarray(0, this.#dice.below(last.bytes.length + 1)),
    });
  }

  /** Pages are written in any order, so any of them can be missing. */
  #withPagesMissing(durable: Buffer, pending: readonly Change[]): Buffer {
    const unit = this.#dice.chance(0.5) ? PAGE_BYTES : SECTOR_BYTES;
    let content = durable;
    let size = durable.length;
    for (const change of pending) {
      size = change.type === "truncate" ? change.size : Math.max(size, change.position + change.bytes.length);
      if (change.type === "truncate") content = applied(content, change);
      else
        for (const piece of pieces(change, unit))
          if (this.#dice.chance(0.6)) content = applied(content, piece);
    }
    return this.#dice.chance(0.7) ? padded(content, size) : content;
  }
}

const NOTHING = Buffer.alloc(0);

function applied(content: Buffer, change: Change): Buffer {
  if (change.type === "truncate") {
    return change.size <= content.length ? content.subarray(0, change.size) : padded(content, change.size);
  }
  const { position, bytes } = change;
  const grown = Buffer.alloc(Math.max(content.length, position + bytes.length));
  content.copy(grown);
  bytes.copy(grown, position);
  return grown;
}

function padded(content: Buffer, size: number): Buffer {
  return size <= content.length ? content : Buffer.concat([content, Buffer.alloc(size - content.length)]);
}

function pieces(change: Extract<Change, { type: "write" }>, unit: number): Change[] {
  const { position, bytes } = change;
  const end = position + bytes.length;
  const found: Change[] = [];
  for (let start = position; start < end; ) {
    const next = Math.min(end, (Math.floor(start / unit) + 1) * unit);
    found.push({ type: "write", position: start, bytes: bytes.subarray(start - position, next - position) });
    start = next;
  }
  return found;
}

function apply(names: Map<string, Inode>, change: NameChange): void {
  for (const { path, inode } of change) {
    if (inode === undefined) names.delete(path);
    else names.set(path, inode);
  }
}

function isInside(path: string, folder: string): boolean {
  return path.startsWith(`${folder}/`);
}

function systemError(code: string, what: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${code}: ${what}`), { code, syscall: what });
}
