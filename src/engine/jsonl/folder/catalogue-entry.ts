import type { FileStat } from "../../../disk/file-io.ts";
import type { LogState } from "../../../transcript/log-state.ts";
import { lastChangeOf, type Metadata } from "../../../transcript/metadata.ts";
import { liveBranches, liveCompactions } from "../../../tree/tree.ts";
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
  const updatedAt = lastChangeOf(metadata, log, known.seenLog?.modifiedNs);
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
