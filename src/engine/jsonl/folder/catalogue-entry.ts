import type { FileStat } from "../../../disk/file-io.ts";
import type { LogState } from "../../../transcript/log-state.ts";
import type { Metadata } from "../../../transcript/metadata.ts";
import { liveBranches, liveCompactions } from "../../../tree/tree.ts";
import { isoTime } from "../../../util/time.ts";
import type { ConversationInfo } from "../../queries.ts";

/** A conversation as of the last look at its files. */
export interface CatalogueEntry {
  readonly stem: string;
  readonly trashed: boolean;
  readonly logPath: string;
  readonly metadataPath: string;
  metadata: Metadata;
  /** Newer than `metadata.log` until the file is refreshed. */
  log: LogState;
  /** Whether the log is missing. */
  logMissing: boolean;
  metadataDamaged: boolean;
  /** Whether its file names survive a power cut: its creator may have died before the sync of the folder. */
  named: boolean;
  seenLog: FileStat | undefined;
  seenMetadata: FileStat | undefined;
}

export function infoOf(known: CatalogueEntry): ConversationInfo {
  const { metadata, log, trashed } = known;
  const { id, key, title, channel, model, profileId, contextState, createdAt, deletedAt } = metadata;
  const updatedAt = updatedAtOf(known);
  return {
    id,
    key,
    title,
    channel,
    model,
    profileId,
    contextState,
    messageCount: log.messages,
    branchCount: liveBranches(log.tree).length,
    compactionCount: liveCompactions(log.tree).length,
    head: log.head,
    createdAt,
    updatedAt,
    lastMessageAt: log.lastMessageAt,
    deletedAt: trashed ? (deletedAt ?? updatedAt) : null,
  };
}

/** If the log is ahead of the metadata: the time of the last message, but not later than that of the file. */
function updatedAtOf({ metadata, log, seenLog }: CatalogueEntry): string {
  const { updatedAt } = metadata;
  if (log.lastMessageAt === null || seenLog === undefined || log.bytes <= metadata.log.bytes)
    return updatedAt;
  const written = isoTime(Number(seenLog.modifiedNs / 1_000_000n));
  const latest = log.lastMessageAt < written ? log.lastMessageAt : written;
  return latest > updatedAt ? latest : updatedAt;
}
