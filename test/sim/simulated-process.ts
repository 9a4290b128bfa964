/**
 * A process on a simulated disk, which can be killed on its own: what it had
 * written stays in the cache, its locks are released and its files closed.
 */
import type { FileIo, FileLock, Presence } from "../../src/disk/file-io.ts";
import type { Dice } from "./dice.ts";
import type { SimulatedDisk } from "./simulated-disk.ts";

class Killed extends Error {
  constructor() {
    super("the process was killed");
  }
}

export class SimulatedProcess implements FileIo {
  readonly #disk: SimulatedDisk;
  readonly #dice: Dice;
  readonly #open = new Set<number>();
  readonly #locks: FileLock[] = [];
  readonly #presences: Presence[] = [];
  #changesLeft = Number.POSITIVE_INFINITY;
  #dead = false;

  constructor(disk: SimulatedDisk, dice: Dice) {
    this.#disk = disk;
    this.#dice = dice;
  }

  get dead(): boolean {
    return this.#dead;
  }

  /** It dies in one of its next changes. */
  killIn(changes: number): void {
    this.#changesLeft = changes;
  }

  kill(): void {
    if (this.#dead) return;
    this.#dead = true;
    if (this.#disk.off) return;
    for (const file of this.#open) this.#disk.close(file);
    for (const lock of this.#locks) lock.release();
    for (const presence of this.#presences) presence.close();
  }

  open(path: string, mode: "read" | "write" | "create"): number {
    const file = this.#do(mode === "create", () => this.#disk.open(path, mode));
    this.#open.add(file);
    return file;
  }

  close(file: number): void {
    this.#do(false, () => this.#disk.close(file));
    this.#open.delete(file);
  }

  read(file: number, into: Uint8Array, position: number): number {
    return this.#do(false, () => this.#disk.read(file, into, position));
  }

  write(file: number, bytes: Uint8Array, position: number): number {
    // A long write can be interrupted between two pages.
    const part = bytes.subarray(0, this.#dice.pick([0, 4096, bytes.length]));
    return this.#do(
      true,
      () => this.#disk.write(file, bytes, position),
      () => this.#disk.write(file, part, position),
    );
  }

  truncate(file: number, size: number): void {
    this.#do(true, () => this.#disk.truncate(file, size));
  }

  sync(file: number): void {
    this.#do(true, () => this.#disk.sync(file));
  }

  async syncLater(file: number): Promise<void> {
    await undefined;
    this.sync(file);
  }

  syncFolder(folder: string): void {
    this.#do(true, () => this.#disk.syncFolder(folder));
  }

  stat(path: string): ReturnType<FileIo["stat"]> {
    return this.#do(false, () => this.#disk.stat(path));
  }

  statOpen(file: number): ReturnType<FileIo["statOpen"]> {
    return this.#do(false, () => this.#disk.statOpen(file));
  }

  touch(path: string, ms: number): void {
    this.#do(true, () => this.#disk.touch(path, ms));
  }

  rename(from: string, to: string): void {
    this.#do(true, () => this.#disk.rename(from, to));
  }

  link(existing: string, name: string): void {
    this.#do(true, () => this.#disk.link(existing, name));
  }

  remove(path: string): void {
    this.#do(true, () => this.#disk.remove(path));
  }

  removeFolder(path: string): void {
    this.#do(true, () => this.#disk.removeFolder(path));
  }

  makeFolder(path: string): void {
    this.#do(true, () => this.#disk.makeFolder(path));
  }

  list(folder: string): string[] {
    return this.#do(false, () => this.#disk.list(folder));
  }

  lock(path: string): FileLock {
    const lock = this.#disk.lock(path);
    this.#locks.push(lock);
    return { ...lock, tryAcquire: () => this.#do(false, () => lock.tryAcquire()) };
  }

  presence(): Presence {
    const presence = this.#disk.presence();
    this.#presences.push(presence);
    return presence;
  }

  bootId(): string {
    return this.#disk.bootId();
  }

  #do<T>(change: boolean, work: () => T, partly: () => unknown = work): T {
    if (this.#dead) throw new Killed();
    if (!change || --this.#changesLeft > 0) return work();
    if (this.#dice.chance(0.5)) partly();
    this.kill();
    throw new Killed();
  }
}
