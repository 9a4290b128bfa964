export type {
  ConversationInfo,
  Engine,
  Finding,
  Removed,
  VerifyReport,
} from "../engine/engine.ts";
export type { Page } from "./access.ts";
export type { BackupReport, RestoreReport } from "./backup.ts";
export type { BlobSource, StoredBlob } from "./blob-streams.ts";
export type {
  BranchInfo,
  BranchOptions,
  Comparison,
  EditOptions,
  NewBranch,
} from "./branching.ts";
export type { Change, ChangesOptions } from "./changes.ts";
export type { CompactOptions, SummarizeBranchOptions } from "./compaction.ts";
export type { Context, ContextOptions, Summarize, SummaryRequest } from "./context.ts";
export type { AppendOptions, Conversation, ConversationPatch } from "./conversation.ts";
export { type CopyItem, type CopyOptions, type CopyReport, type CopySkip, copyStore } from "./copy.ts";
export type { EntryQuery } from "./entry-query.ts";
export type { Receipt } from "./erasure.ts";
export type { FollowEvent, FollowOptions } from "./follow.ts";
export type { Lease, LeaseOptions } from "./lease.ts";
export { openStore, type StoreOptions } from "./open.ts";
export type { Pruned, PruneOptions } from "./pruning.ts";
export { restoreBackup } from "./restore.ts";
export type { RetentionItem, RetentionLimits, RetentionPolicy, RetentionReport } from "./retention.ts";
export {
  type ConversationInit,
  type ConversationQuery,
  type CreateInit,
  Store,
  type StoreStats,
} from "./store.ts";
export type { FinishOptions, Turn, TurnOptions } from "./turn.ts";
export type { TurnUnderWay } from "./turn-end.ts";
