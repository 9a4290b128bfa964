export type {
  ConversationInfo,
  Engine,
  Facets,
  Finding,
  Removed,
  VerifyReport,
} from "../engine/index.ts";
export type { BuildProgress, SemanticModel, SemanticOptions } from "../search/index.ts";
export type { BackupReport } from "./backup/backup.ts";
export { type RestoreReport, restoreBackup } from "./backup/restore.ts";
export type { BlobSource, StoredBlob } from "./blobs/blob-streams.ts";
export type {
  BranchInfo,
  BranchOptions,
  BranchResult,
  Comparison,
  EditOptions,
} from "./branches/branching.ts";
export type { Pruned, PruneOptions } from "./branches/pruning.ts";
export type { CompactOptions, SummarizeBranchOptions } from "./context/compaction.ts";
export type { Context, ContextOptions, PlainContext } from "./context/context.ts";
export type { Summarize, SummaryRequest } from "./context/summarize.ts";
export type { AppendOptions, Conversation, ConversationPatch } from "./conversation.ts";
export type {
  CopyItem,
  CopyOptions,
  CopyProgress,
  CopyReport,
  CopySkip,
} from "./copy/copy-store.ts";
export type { RepairOptions, RepairReport } from "./copy/repair.ts";
export type { Change, ChangesOptions } from "./feed/changes.ts";
export type { JobQuery } from "./jobs/job-pages.ts";
export type { Job, JobChange, JobInput, JobName, Jobs } from "./jobs/jobs.ts";
export { openStore, type SessionFormat, type StoreOptions } from "./open.ts";
export type { ConversationQuery, ListedConversation } from "./read/conversation-pages.ts";
export type { EntryQuery } from "./read/entry-query.ts";
export type { Listing, Page } from "./read/listing.ts";
export type { Snapshot } from "./read/snapshot.ts";
export type { RetentionOptions } from "./retention/apply-retention.ts";
export type { RedactTarget } from "./retention/erasure.ts";
export type { Receipt } from "./retention/receipt.ts";
export type {
  RetentionItem,
  RetentionLimits,
  RetentionPolicy,
  RetentionReport,
} from "./retention/retention.ts";
export type { SearchHit } from "./search/hits.ts";
export type { SearchListing, SearchPage } from "./search/search.ts";
export type { SearchOptions } from "./search/search-query.ts";
export {
  Store,
  type StoreCounts,
  type StoreStats,
} from "./store.ts";
export type { FollowEvent, FollowOptions } from "./turns/follow.ts";
export type { Lease, LeaseOptions } from "./turns/lease.ts";
export type { FinishOptions, Turn, TurnOptions } from "./turns/turn.ts";
export type { TurnUnderWay } from "./turns/turn-end.ts";
export type { Ingest } from "./write/ingest.ts";
export type { ConversationInit, CreateInit } from "./write/init.ts";
export type { Appended } from "./write/writing.ts";
