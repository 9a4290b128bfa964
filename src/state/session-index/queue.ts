/**
 * Writes to one index, one after the other within this process and, by a lock
 * that the kernel releases, among all processes.
 *
 * Whatever waits when the lock is got is done in one write. A change that
 * fails is an error for the one who wanted it, and for nobody else.
 */

import type { FileLock } from "../../disk/file-io.ts";
import { removeLeftovers } from "../../disk/replace-file.ts";
import { withLock } from "../../disk/with-lock.ts";
import { asColloquyError } from "../../errors.ts";
import { forget } from "./cache.ts";
import { type IndexFiles, writeIndex } from "./files.ts";
import { IndexEdit, type IndexEditOptions } from "./index-edit.ts";
import { readSettled } from "./read.ts";

/** More changes than this at once read the whole index rather than its lines. */
const LINES_MAX = 8;

interface Change {
  readonly files: IndexFiles;
  readonly options: IndexEditOptions;
  readonly apply: (edit: IndexEdit) => unknown;
  readonly resolve: (value: never) => void;
  readonly reject: (error: unknown) => void;
}

/** What waits, by path. */
const queues = new Map<string, Change[]>();
const cleaned = new Set<string>();

/** Do something to the index. Resolves when it is on the disk, with what `apply` returned. */
export function change<T>(
  files: IndexFiles,
  options: IndexEditOptions,
  apply: (edit: IndexEdit) => T,
): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const entry: Change = { files, options, apply, resolve: resolve as Change["resolve"], reject };
  const waiting = queues.get(files.path);
  if (waiting === undefined) {
    const started = [entry];
    queues.set(files.path, started);
    queueMicrotask(() => void drain(files, started));
  } else {
    waiting.push(entry);
  }
  return promise;
}

/** Never rejects: every change has its own promise. */
async function drain({ io, folder, path, lockPath }: IndexFiles, waiting: Change[]): Promise<void> {
  let lock: FileLock | undefined;
  try {
    io.makeFolder(folder);
    lock = io.lock(lockPath);
    while (waiting.length > 0) await withLock(lock, path, () => writeTogether(nextOf(waiting)));
  } catch (error) {
    const reason = asColloquyError(error, `Cannot write ${path}`);
    for (const { reject } of waiting.splice(0)) reject(reason);
  } finally {
    queues.delete(path);
    lock?.close();
  }
}

/** The longest run of changes that go the same way. */
function nextOf(waiting: Change[]): Change[] {
  const io = waiting[0]?.files.io;
  const end = waiting.findIndex(({ files }) => files.io !== io);
  return waiting.splice(0, end < 0 ? waiting.length : end);
}

function writeTogether(changes: readonly Change[]): void {
  const { files, options } = changes[0] as Change;
  const settled: (() => void)[] = [];
  try {
    if (!cleaned.has(files.path)) removeLeftovers(files.io, files.folder, files.path);
    cleaned.add(files.path);
    const edit = new IndexEdit(readSettled(files, options.config), options);
    if (changes.length > LINES_MAX) edit.all();
    for (const one of changes) settled.push(applied(edit, one));
    writeEdit(files, edit);
  } catch (error) {
    for (const { reject } of changes) reject(error);
    return;
  }
  for (const settle of settled) settle();
}

function applied(edit: IndexEdit, { apply, resolve, reject }: Change): () => void {
  try {
    const value = apply(edit);
    return () => resolve(value as never);
  } catch (error) {
    return () => reject(error);
  }
}

/** Put an edit on the disk, if it has anything new to say. */
export function writeEdit(files: IndexFiles, edit: IndexEdit): void {
  const content = edit.content();
  if (content === undefined) return;
  forget(files.path);
  writeIndex(files, content, edit.recovered);
}
