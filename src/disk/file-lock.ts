import { statSync } from "node:fs";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { ColloquyError, unavailable } from "../errors.ts";
import { createPrivate } from "./create-private.ts";
import { holderOf } from "./lock-holder.ts";
import { isBusy } from "./sqlite-code.ts";

/** An exclusive lock between processes that the kernel releases when its holder dies. */
export interface FileLock {
  /** Take the lock if it is free. Never waits. */
  tryAcquire(): boolean;
  /** While it is held: whether it still excludes other processes. Its file may have been removed or replaced. */
  isHeld(): boolean;
  release(): void;
  /** The holder, if the system reports it, for the error of a waiter that gives up. */
  holder(): string;
  close(): void;
}

/**
 * The lock is an open `BEGIN IMMEDIATE` on an empty SQLite file.
 *
 * SQLite brings portable, kernel-released locks that also work between
 * threads of one process; plain Node offers none. Nothing is ever written to
 * the file, so it cannot be damaged by a power cut.
 */
export class SqliteFileLock implements FileLock {
  readonly #path: string;
  #database: DatabaseSync | undefined;
  #begin: StatementSync | undefined;
  #end: StatementSync | undefined;
  #inode = 0n;

  constructor(path: string) {
    this.#path = path;
  }

  tryAcquire(): boolean {
    // Another task of this process holds it.
    if (this.#database?.isTransaction) return false;
    try {
      if (this.#begin === undefined) this.#open();
      this.#begin?.run();
    } catch (error) {
      // Opening sets the journal mode, which also needs the lock.
      if (isBusy(error)) return false;
      if (error instanceof ColloquyError) throw error;
      throw unavailable(`Cannot lock ${this.#path}: ${(error as Error).message}`, { cause: error });
    }
    // If the file was removed in the meantime, the lock excludes no other process.
    if (this.isHeld()) return true;
    this.close();
    return this.tryAcquire();
  }

  isHeld(): boolean {
    return inodeOf(this.#path) === this.#inode;
  }

  release(): void {
    this.#end?.run();
  }

  holder(): string {
    return holderOf(this.#path);
  }

  close(): void {
    this.#database?.close();
    this.#database = undefined;
    this.#begin = undefined;
    this.#end = undefined;
  }

  #open(): void {
    try {
      createPrivate(this.#path);
      this.#database = new DatabaseSync(this.#path, { timeout: 0 });
      // Otherwise every acquisition creates and removes a journal file, at five times the cost of the lock.
      this.#database.exec("PRAGMA journal_mode = MEMORY");
      this.#begin = this.#database.prepare("BEGIN IMMEDIATE");
      this.#end = this.#database.prepare("ROLLBACK");
      this.#inode = inodeOf(this.#path);
    } catch (error) {
      this.close();
      if (isBusy(error)) throw error;
      throw unavailable(`Cannot open the lock file ${this.#path}: ${(error as Error).message}`, {
        cause: error,
      });
    }
  }
}

function inodeOf(path: string): bigint {
  return statSync(path, { bigint: true, throwIfNoEntry: false })?.ino ?? 0n;
}
