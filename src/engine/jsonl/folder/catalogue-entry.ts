import type { FileStat } from "../../../disk/file-io.ts";
import type { LogState } from "../../../transcript/log-state.ts";
import type { Metadata } from "../../../transcript/metadata.ts";
import { liveBranches } from "../../../tree/tree.ts";
import { isoTime } from "../../../util/time.ts";
import type { ConversationInfo } from "../../queries.ts";

/** One conversation as it was last seen. */
export interface CatalogueEntry {
  readonly stem: string;
  readonly trashed: boolean;
  readonly logPath: string;
  readonly metadataPath: string;
  metadata: Metadata;
  /** Newer than `metadata.log` while the file waits to be refreshed. */
  log: LogState;
  /** There is no log of that name. */
  logMissing: boolean;
  metadataDamaged: boolean;
  /** Its names are known to survive a power cut: whoever made it may have died before they did. */
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
    compactionCount: compactionsOf(log),
    head: log.head,
    createdAt,
    updatedAt,
    lastMessageAt: log.lastMessageAt,
    deletedAt: trashed ? (deletedAt ?? updatedAt) : null,
  };
}

/** Those that were not undone. */
export function compactionsOf({ tree }: LogState): number {
  return tree.compactions.filter(({ undone }) => !undone).length;
}

/** Where the log is ahead of the metadata, the last message was written when it says, but not after the file was. */
function updatedAtOf({ metadata, log, seenLog }: CatalogueEntry): string {
  const { updatedAt } = metadata;
  if (log.lastMessageAt === null || seenLog === undefined || log.bytes <= metadata.log.bytes)
    return updatedAt;
  const written = isoTime(Number(seenLog.modifiedNs / 1_000_000n));
  const latest = log.lastMessageAt < written ? log.lastMessageAt : written;
  return latest > updatedAt ? latest : updatedAt;
}
