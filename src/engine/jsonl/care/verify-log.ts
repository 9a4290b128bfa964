import { join } from "node:path";
import type { FileIo } from "../../../disk/file-io.ts";
import { linesForward } from "../../../disk/line-scan.ts";
import { withFile } from "../../../disk/with-file.ts";
import { REMOVED_KIND } from "../../../message/entry.ts";
import type { StoredEntry } from "../../../message/types.ts";
import {
  type AdvanceListener,
  advance,
  type BadLine,
  EMPTY_LOG,
  type LogState,
} from "../../../transcript/log-state.ts";
import { readMetadata } from "../../../transcript/metadata.ts";
import { liveBranches, OFF_PATH, PLAIN } from "../../../tree/tree.ts";
import type { Finding } from "../../queries.ts";
import { logName, metadataName, TRASH_FOLDER } from "../folder/names.ts";

export interface Checked {
  readonly conversation: string | null;
  readonly findings: Finding[];
  readonly entries: number;
  readonly isConversation: boolean;
  /** Blobs that its entries refer to. */
  readonly blobs: ReadonlySet<string>;
}

const NO_BLOBS: ReadonlySet<string> = new Set();

/** Read every line of one conversation. `undefined` if these files belong to one in the other folder. */
export function verifyConversation(
  io: FileIo,
  folder: string,
  place: string,
  stem: string,
): Checked | undefined {
  const logPath = join(place, logName(stem));
  const metadataPath = join(place, metadataName(stem));
  const read = readMetadata(io, metadataPath);
  const findings: Finding[] = [];
  let conversation = read.found?.id ?? null;
  const found = (code: string, source: string, line: number | null, message: string): void => {
    findings.push({ code, conversation, source, line, message });
  };
  if (read.damage !== undefined) found("damaged-metadata", metadataPath, null, read.damage);
  if (io.stat(logPath) === undefined) {
    const other = place === folder ? join(folder, TRASH_FOLDER) : folder;
    if (io.stat(join(other, logName(stem))) !== undefined) return undefined;
    const counted = read.found?.log.messages ?? 0;
    if (counted > 0)
      found("missing-log", logPath, null, `the transcript is missing, but it had ${counted} messages`);
    return { conversation, findings, entries: 0, isConversation: true, blobs: NO_BLOBS };
  }
  let log: ScannedLog;
  try {
    log = scanLog(io, logPath, read.found?.log.bytes ?? 0);
  } catch (error) {
    found("unreadable-log", logPath, null, (error as Error).message);
    return { conversation, findings, entries: 0, isConversation: true, blobs: NO_BLOBS };
  }
  conversation ??= log.state.header?.id ?? null;
  if (log.state.header === undefined && log.state.entries === 0 && read.found === undefined) {
    if (log.size > 0) found("foreign-file", logPath, 1, "no line of this file is Colloquy's");
    return { conversation, findings, entries: 0, isConversation: false, blobs: NO_BLOBS };
  }
  // A crash leaves an empty conversation during creation, and metadata in the other folder during a move.
  const elsewhere = join(place === folder ? join(folder, TRASH_FOLDER) : folder, metadataName(stem));
  const isLost = read.found === undefined && read.damage === undefined && io.stat(elsewhere) === undefined;
  if (isLost && log.state.entries > 0) {
    found("missing-metadata", metadataPath, null, "a title, model or context state may be lost");
  }
  const lineAt = lineNumbers(io, logPath, [...log.bad.map(({ start }) => start), log.state.bytes]);
  for (const bad of log.bad)
    found("bad-line", logPath, lineAt(bad.start), `${bad.reason} (bytes ${bad.start} to ${bad.end})`);
  for (const id of log.duplicates) found("duplicate-id", logPath, null, `entry ${id} occurs twice`);
  for (const id of log.dangling)
    found("dangling-parent", logPath, null, `entry ${id} follows one that cannot be read`);
  for (const id of log.cyclic) found("cycle", logPath, null, `entry ${id} follows one that came after it`);
  if (log.state.bytes < log.size) {
    found(
      "torn-tail",
      logPath,
      lineAt(log.state.bytes),
      `the last ${log.size - log.state.bytes} bytes are not a complete append`,
    );
  }
  const counted = read.found?.log;
  if (counted !== undefined && counted.bytes > log.size) {
    found("shrunk-log", logPath, null, `the transcript had ${counted.bytes} bytes and now has ${log.size}`);
  } else if (counted !== undefined && counted.bytes === log.state.bytes && log.bad.length === 0) {
    for (const message of wrongCounts(counted, log.state)) found("wrong-count", metadataPath, null, message);
  }
  return { conversation, findings, entries: log.state.entries, isConversation: true, blobs: log.blobs };
}

function* wrongCounts(counted: LogState, actual: LogState): Generator<string> {
  for (const what of ["messages", "entries"] as const) {
    if (counted[what] !== actual[what]) yield `expected ${counted[what]} ${what}, found ${actual[what]}`;
  }
  const [said, is] = [liveBranches(counted.tree).length, liveBranches(actual.tree).length];
  if (said !== is && counted.tree !== PLAIN) yield `expected ${said} branches, found ${is}`;
}

interface ScannedLog {
  readonly state: LogState;
  readonly size: number;
  readonly bad: BadLine[];
  readonly duplicates: string[];
  readonly dangling: string[];
  readonly cyclic: string[];
  readonly blobs: Set<string>;
}

function scanLog(io: FileIo, path: string, syncedBytes: number): ScannedLog {
  const bad: BadLine[] = [];
  const duplicates: string[] = [];
  const blobs = new Set<string>();
  const ids = new Set<string>();
  /** Entries whose parent does not precede them. */
  const orphans: StoredEntry[] = [];
  return withFile(io, path, "read", (file) => {
    const { size } = io.statOpen(file);
    const listener: AdvanceListener = {
      entry: (entry, _raw, branch) => {
        const { id, parentId, kind } = entry;
        if (ids.has(id)) duplicates.push(id);
        // A swept entry may be the parent of its remains, and of a pruned branch.
        const isLoose = branch === OFF_PATH || kind === REMOVED_KIND;
        if (parentId !== null && !isLoose && !ids.has(parentId)) orphans.push(entry);
        ids.add(id);
        for (const { hash } of entry.blobs ?? []) blobs.add(hash);
      },
      bad: (line) => bad.push(line),
    };
    const state = advance(io, file, EMPTY_LOG, size, listener, syncedBytes);
    const isLate = ({ parentId }: StoredEntry): boolean => ids.has(parentId as string);
    const cyclic = orphans.filter(isLate).map(({ id }) => id);
    const dangling = orphans.filter((entry) => !isLate(entry)).map(({ id }) => id);
    return { state, size, bad, duplicates, dangling, cyclic, blobs };
  });
}

/** The line numbers, from 1, of the lines that start at some positions, in one pass. */
function lineNumbers(io: FileIo, path: string, positions: readonly number[]): (position: number) => number {
  const wanted = new Set(positions);
  const numbers = new Map<number, number>();
  withFile(io, path, "read", (file) => {
    let line = 1;
    for (const { start, end } of linesForward(io, file, 0, positions.at(-1) ?? 0)) {
      if (wanted.has(start)) numbers.set(start, line);
      if (wanted.has(end)) numbers.set(end, line + 1);
      line++;
    }
  });
  return (position) => numbers.get(position) ?? 1;
}
