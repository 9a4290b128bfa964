import type { FileIo, FileLock } from "../../disk/file-io.ts";
import type { Clock } from "../../util/time.ts";
import type { Random } from "../../util/uuid.ts";
import type { LegacyPolicy } from "../engine.ts";
import { notFound } from "../rules.ts";
import type { BlobFiles } from "./blobs/blob-files.ts";
import type { BlobReferences } from "./blobs/blob-references.ts";
import type { PurgeMarks } from "./erase/purge-marks.ts";
import type { Feed } from "./feed/feed.ts";
import type { RecordType } from "./feed/feed-record.ts";
import type { Catalogue } from "./folder/catalogue.ts";
import type { CatalogueEntry } from "./folder/catalogue-entry.ts";
import type { ChangeCounter } from "./folder/change-counter.ts";
import type { ConversationFiles } from "./folder/conversation-files.ts";
import type { ProblemReporter } from "./folder/problem-reporter.ts";
import type { JobFile } from "./jobs/job-file.ts";
import type { LegacyIo } from "./legacy/legacy-io.ts";
import type { OpenLogs } from "./log/open-logs.ts";
import type { Journals } from "./turns/journals.ts";
import type { LeaseFiles } from "./turns/lease-files.ts";

/** The parts of an open engine that its operations use. */
export interface JsonlContext {
  readonly folder: string;
  readonly io: FileIo;
  readonly random: Random;
  readonly nowMs: Clock;
  readonly durable: boolean;
  readonly lock: Pick<FileLock, "isHeld">;
  readonly counter: ChangeCounter;
  readonly catalogue: Catalogue;
  readonly files: ConversationFiles;
  readonly logs: OpenLogs;
  readonly blobs: BlobFiles;
  readonly references: BlobReferences;
  readonly journals: Journals;
  readonly leases: LeaseFiles;
  readonly feed: Feed;
  readonly marks: PurgeMarks;
  readonly jobs: JobFile;
  /** Files in legacy formats; `io` presents them as if they were migrated. */
  readonly legacy: LegacyIo;
  /** What a write to such a file does. */
  readonly legacyPolicy: LegacyPolicy;
  readonly problems: ProblemReporter;
}

/** Announces a change of a conversation in the feed. */
export type RecordChange = (type: RecordType, known: CatalogueEntry) => void;

/** The conversation, with all its appends. Throws if it does not exist or is in the trash. */
export function liveConversation({ catalogue }: JsonlContext, id: string): CatalogueEntry {
  const known = catalogue.byId(id);
  if (known === undefined || known.trashed) throw notFound(id);
  return known;
}

/** Make a change that other processes must notice, under the lock. Returns the conversation after it. */
export function withChangeCounter(
  { catalogue, counter }: JsonlContext,
  stem: string,
  change: () => void,
): CatalogueEntry | undefined {
  catalogue.checkChanges();
  counter.during(change);
  const known = catalogue.reread(stem);
  if (known !== undefined) known.named = true;
  catalogue.trustCounter();
  return known;
}
