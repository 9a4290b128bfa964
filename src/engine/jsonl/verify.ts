import { join } from "node:path";
import type { FileIo } from "../../transcript/io.ts";
import {
  type AdvanceListener,
  advance,
  type BadLine,
  EMPTY_LOG,
  type LogState,
} from "../../transcript/log-state.ts";
import { readMetadata } from "../../transcript/metadata.ts";
import { linesForward } from "../../transcript/scan.ts";
import type { EngineStats, Finding, VerifyReport } from "../engine.ts";
import { longest } from "../rules.ts";
import { infoOf, type Known } from "./catalogue.ts";
import { logName, metadataName, stemOf, TRASH_FOLDER } from "./names.ts";

/** Read every line of every conversation, trusting no cache. */
export function verifyFolder(io: FileIo, folder: string): VerifyReport {
  const findings: Finding[] = [];
  const sources = new Map<string, string>();
  let conversations = 0;
  let entries = 0;
  for (const place of [folder, join(folder, TRASH_FOLDER)]) {
    if (io.stat(place) === undefined) continue;
    const stems = new Set(io.list(place).flatMap((name) => stemOf(name) ?? []));
    for (const stem of stems) {
      const checked = verifyConversation(io, folder, place, stem);
      if (checked === undefined) continue;
      const source = join(place, logName(stem));
      for (const finding of [...checked.findings, ...twins(checked, source, sources)]) findings.push(finding);
      conversations += checked.isConversation ? 1 : 0;
      entries += checked.entries;
    }
  }
  return { ok: findings.length === 0, conversations, entries, findings };
}

/** A copy of a file beside the original: which of the two goes on? */
function twins({ conversation }: Checked, source: string, sources: Map<string, string>): Finding[] {
  if (conversation === null) return [];
  const first = sources.get(conversation);
  if (first === undefined) sources.set(conversation, source);
  const message = `it has the same conversation id as ${first}`;
  return first === undefined
    ? []
    : [{ code: "duplicate-conversation", conversation, source, line: null, message }];
}

interface Checked {
  readonly conversation: string | null;
  readonly findings: Finding[];
  readonly entries: number;
  readonly isConversation: boolean;
}

function verifyConversation(io: FileIo, folder: string, place: string, stem: string): Checked | undefined {
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
      found("missing-log", logPath, null, `the transcript is missing, ${counted} messages were counted`);
    return { conversation, findings, entries: 0, isConversation: true };
  }
  let log: ScannedLog;
  try {
    log = scanLog(io, logPath, read.found?.log.bytes ?? 0);
  } catch (error) {
    found("unreadable-log", logPath, null, (error as Error).message);
    return { conversation, findings, entries: 0, isConversation: true };
  }
  conversation ??= log.state.header?.id ?? null;
  if (log.state.header === undefined && log.state.entries === 0 && read.found === undefined) {
    if (log.size > 0) found("foreign-file", logPath, 1, "no line of this file is Colloquy's");
    return { conversation, findings, entries: 0, isConversation: false };
  }
  // An empty conversation was cut off while it was made; metadata in the other folder, while it was moved.
  const elsewhere = join(place === folder ? join(folder, TRASH_FOLDER) : folder, metadataName(stem));
  const isLost = read.found === undefined && read.damage === undefined && io.stat(elsewhere) === undefined;
  if (isLost && log.state.entries > 0) {
    found("missing-metadata", metadataPath, null, "a title, model or context state may be lost");
  }
  const lineAt = lineNumbers(io, logPath, [...log.bad.map(({ start }) => start), log.state.bytes]);
  for (const bad of log.bad)
    found("bad-line", logPath, lineAt(bad.start), `${bad.reason} (bytes ${bad.start} to ${bad.end})`);
  for (const id of log.duplicates) found("duplicate-id", logPath, null, `entry ${id} is there twice`);
  for (const id of log.dangling)
    found("dangling-parent", logPath, null, `entry ${id} follows one that cannot be read`);
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
    found("shrunk-log", logPath, null, `the transcript had ${counted.bytes} bytes, now it has ${log.size}`);
  } else if (
    counted !== undefined &&
    counted.bytes === log.state.bytes &&
    log.bad.length === 0 &&
    counted.messages !== log.state.messages
  ) {
    found(
      "wrong-count",
      metadataPath,
      null,
      `counted ${counted.messages} messages, there are ${log.state.messages}`,
    );
  }
  return { conversation, findings, entries: log.state.entries, isConversation: true };
}

interface ScannedLog {
  readonly state: LogState;
  readonly size: number;
  readonly bad: BadLine[];
  readonly duplicates: string[];
  readonly dangling: string[];
}

function scanLog(io: FileIo, path: string, syncedBytes: number): ScannedLog {
  const bad: BadLine[] = [];
  const duplicates: string[] = [];
  const dangling: string[] = [];
  const ids = new Set<string>();
  const file = io.open(path, "read");
  try {
    const { size } = io.statOpen(file);
    const listener: AdvanceListener = {
      entry: ({ id, parentId }) => {
        if (ids.has(id)) duplicates.push(id);
        if (parentId !== null && !ids.has(parentId)) dangling.push(id);
        ids.add(id);
      },
      bad: (line) => bad.push(line),
    };
    const state = advance(io, file, EMPTY_LOG, size, listener, syncedBytes);
    return { state, size, bad, duplicates, dangling };
  } finally {
    io.close(file);
  }
}

/** The numbers of the lines that begin at some positions, counted from one in one reading. */
function lineNumbers(io: FileIo, path: string, positions: readonly number[]): (position: number) => number {
  const wanted = new Set(positions);
  const numbers = new Map<number, number>();
  const file = io.open(path, "read");
  try {
    let line = 1;
    for (const { start, end } of linesForward(io, file, 0, positions.at(-1) ?? 0)) {
      if (wanted.has(start)) numbers.set(start, line);
      if (wanted.has(end)) numbers.set(end, line + 1);
      line++;
    }
  } finally {
    io.close(file);
  }
  return (position) => numbers.get(position) ?? 1;
}

export function measureFolder(io: FileIo, folder: string, known: readonly Known[]): EngineStats {
  const sizeOf = (place: string): number => {
    if (io.stat(place) === undefined) return 0;
    let bytes = 0;
    for (const name of io.list(place)) {
      const stat = io.stat(join(place, name));
      if (stat !== undefined && !stat.isFolder) bytes += stat.size;
    }
    return bytes;
  };
  const trash = sizeOf(join(folder, TRASH_FOLDER));
  const live = known.filter(({ trashed }) => !trashed).map(infoOf);
  return {
    conversations: live.length,
    entries: known.reduce((sum, { log }) => sum + log.entries, 0),
    bytes: sizeOf(folder) + trash,
    reclaimable: trash,
    top: longest(live),
  };
}
