/**
 * Serialises writes to one index: within this process by a queue, and between
 * processes by a lock that the kernel releases.
 *
 * All changes that wait when the lock is acquired are written together. A
 * change that fails is an error for its caller only.
 */

import type { FileLock } from "../../disk/file-io.ts";
import { removeLeftovers } from "../../disk/replace-file.ts";
import { withLock } from "../../disk/with-lock.ts";
import { asColloquyError } from "../../errors.ts";
import { forget } from "./cache.ts";
import { type IndexFiles, writeIndex } from "./files.ts";
import { IndexEdit, type IndexEditOptions } from "./index-edit.ts";
import { readSettled } from "./read.ts";

/** More changes than this at once parse the whole index instead of single lines. */
const LINES_MAX = 8;

interface Change {
  readonly files: IndexFiles;
  readonly options: IndexEditOptions;
  readonly apply: (edit: IndexEdit) => unknown;
  readonly resolve: (value: never) => void;
  readonly reject: (error: unknown) => void;
}

/** Waiting changes by path. */
const queues = new Map<string, Change[]>();
const cleaned = new Set<string>();

/** Change the index. Resolves with the result of `apply` once the change is durable. */
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

/** Never rejects: each change has its own promise. */
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

/** The longest run of changes with the same file access. */
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

/** Write an edit, if it changed anything. */
export function writeEdit(files: IndexFiles, edit: IndexEdit): void {
  const content = edit.content();
  if (content === undefined) return;
  forget(files.path);
  writeIndex(files, content, edit.recovered);
}
