/** For authors of engines: what an engine must do, and the rules that all of them share. */

export { REMOVED_KIND } from "../message/entry.ts";
export { checkUpload, newBytes } from "./blob-rules.ts";
export type {
  Awaitable,
  Engine,
  EngineOptions,
  EngineSupports,
  LegacyConversation,
  LegacyPolicy,
} from "./engine.ts";
export { checkPlace, otherFeed } from "./feed-rules.ts";
export { type JobLookup, type JobPlan, jobPage, planJobs } from "./job-rules.ts";
export { type JournalState, newText } from "./journal-rules.ts";
export { type Claimant, checkEpoch, decideLease, type LeaseState, NO_LEASE } from "./leases.ts";
export { endingPage, isOpening, OPENING_MESSAGES, openingIn, openingPage } from "./opening-rules.ts";
export type {
  AppendOperation,
  AppendResult,
  BlobEncoding,
  BlobOperation,
  CollectOperation,
  CreateOperation,
  Done,
  EntryPlace,
  Erased,
  JobName,
  JobsOperation,
  JournalOperation,
  LeaseGrant,
  LeaseOperation,
  MarkPurgedOperation,
  NewBlob,
  NewEntry,
  NewJob,
  Operation,
  Outcome,
  PurgeOperation,
  RedactOperation,
  Removed,
  SetKeyOperation,
  SweepOperation,
  TrashOperation,
  UpdateOperation,
  UpdatePatch,
} from "./operations.ts";
export { textOfPage } from "./page-text.ts";
export type {
  BlobPart,
  Change,
  ConversationInfo,
  Counts,
  EngineStats,
  EntryPage,
  Facets,
  FeedPlace,
  Finding,
  JobQuery,
  ListFilter,
  ListQuery,
  OpenTurn,
  PageQuery,
  PageText,
  QueuedJob,
  TextQuery,
  VerifyReport,
} from "./queries.ts";
export {
  entryNotFound,
  type Freed,
  freedBlobs,
  keyReceipt,
  planSweep,
  purgeMark,
  receipt,
} from "./removal-rules.ts";
export {
  type AppendLookup,
  type AppendPlan,
  activeAt,
  type ConversationLookup,
  checkKeyFree,
  checkMove,
  checkPurge,
  compareForListing,
  longest,
  notFound,
  passesFilter,
  planAppend,
  resolveCreate,
  TOP_COUNT,
  unsupported,
} from "./rules.ts";
