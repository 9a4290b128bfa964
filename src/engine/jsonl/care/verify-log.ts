import { join } from "node:path";
import type { FileIo } from "../../../disk/file-io.ts";
import type { LogState } from "../../../transcript/log-state.ts";
import { readMetadata } from "../../../transcript/metadata.ts";
import { type OddParent, oddParentText } from "../../../tree/cycles.ts";
import { liveBranches, PLAIN } from "../../../tree/tree.ts";
import type { Steps } from "../../../util/steps.ts";
import { FindingList } from "../../findings.ts";
import type { Finding } from "../../queries.ts";
import { logName, metadataName, TRASH_FOLDER } from "../folder/names.ts";
import { type ScannedLog, scanLog } from "./scan-log.ts";

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
export function* verifyConversation(
  io: FileIo,
  folder: string,
  place: string,
  stem: string,
): Steps<Checked | undefined> {
  const logPath = join(place, logName(stem));
  const metadataPath = join(place, metadataName(stem));
  const read = readMetadata(io, metadataPath);
  const list = new FindingList();
  let conversation = read.found?.id ?? null;
  const found = (code: string, source: string, line: number | null, message: string): void =>
    list.add({ code, conversation, source, line, message });
  const nothing = (isConversation: boolean): Checked => {
    return { conversation, findings: list.list(), entries: 0, isConversation, blobs: NO_BLOBS };
  };
  if (read.damage !== undefined) found("damaged-metadata", metadataPath, null, read.damage);
  if (io.stat(logPath) === undefined) {
    const other = place === folder ? join(folder, TRASH_FOLDER) : folder;
    if (io.stat(join(other, logName(stem))) !== undefined) return undefined;
    const counted = read.found?.log.messages ?? 0;
    if (counted > 0)
      found("missing-log", logPath, null, `the transcript is missing, but it had ${counted} messages`);
    return nothing(true);
  }
  let log: ScannedLog;
  // Reported once it is clear that the file is a conversation, and whose.
  const bad = new FindingList();
  const damaged = { code: "bad-line", conversation, source: logPath };
  let badLines = 0;
  const duplicates: string[] = [];
  try {
    log = yield* scanLog(io, logPath, read.found?.log.bytes ?? 0, {
      bad: ({ start, end, reason, line = null }) => {
        badLines++;
        bad.add({ ...damaged, line, message: `${reason} (bytes ${start} to ${end})` });
      },
      duplicate: (id) => duplicates.push(id),
    });
  } catch (error) {
    found("unreadable-log", logPath, null, (error as Error).message);
    return nothing(true);
  }
  conversation ??= log.state.header?.id ?? null;
  if (log.state.header === undefined && log.state.entries === 0 && read.found === undefined) {
    if (log.size > 0) found("foreign-file", logPath, 1, "no line of this file is Colloquy's");
    return nothing(false);
  }
  // A crash leaves an empty conversation during creation, and metadata in the other folder during a move.
  const elsewhere = join(place === folder ? join(folder, TRASH_FOLDER) : folder, metadataName(stem));
  const hasNone = read.found === undefined && read.described === undefined && read.damage === undefined;
  const isLost = hasNone && io.stat(elsewhere) === undefined;
  if (isLost && log.state.entries > 0) {
    found("missing-metadata", metadataPath, null, "a title, model or context state may be lost");
  }
  for (const finding of bad.list()) list.add({ ...finding, conversation });
  for (const id of duplicates) found("duplicate-id", logPath, null, `entry ${id} occurs twice`);
  const oddities = log.oddities();
  for (const [index, { id, parentId }] of log.orphans.entries()) {
    const code = oddities[index] as OddParent;
    found(code, logPath, null, `entry ${id} ${oddParentText(code, id, parentId)}`);
  }
  if (log.state.bytes < log.size) {
    found(
      "torn-tail",
      logPath,
      log.linesBeforeTail + 1,
      `the last ${log.size - log.state.bytes} bytes are not a complete append`,
    );
  }
  const counted = read.found?.log;
  if (counted !== undefined && counted.bytes > log.size) {
    found("shrunk-log", logPath, null, `the transcript had ${counted.bytes} bytes and now has ${log.size}`);
  } else if (counted !== undefined && counted.bytes === log.state.bytes && badLines === 0) {
    for (const message of wrongCounts(counted, log.state)) found("wrong-count", metadataPath, null, message);
  }
  const { entries } = log.state;
  return { conversation, findings: list.list(), entries, isConversation: true, blobs: log.blobs };
}

function* wrongCounts(counted: LogState, actual: LogState): Generator<string> {
  for (const what of ["messages", "entries"] as const) {
    if (counted[what] !== actual[what]) yield `expected ${counted[what]} ${what}, found ${actual[what]}`;
  }
  const [said, is] = [liveBranches(counted.tree).length, liveBranches(actual.tree).length];
  if (said !== is && counted.tree !== PLAIN) yield `expected ${said} branches, found ${is}`;
}
