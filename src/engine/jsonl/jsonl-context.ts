import type { FileIo } from "../../disk/file-io.ts";
import type { BadLine } from "../../transcript/log-state.ts";
import type { Clock } from "../../util/time.ts";
import type { Random } from "../../util/uuid.ts";
import type { LegacyPolicy } from "../engine.ts";
import { notFound } from "../rules.ts";
import type { BlobFiles } from "./blobs/blob-files.ts";
import type { BlobReferences } from "./blobs/blob-references.ts";
import type { Feed } from "./feed/feed.ts";
import type { Catalogue } from "./folder/catalogue.ts";
import type { CatalogueEntry } from "./folder/catalogue-entry.ts";
import type { ChangeCounter } from "./folder/change-counter.ts";
import type { ConversationFiles } from "./folder/conversation-files.ts";
import type { LegacyIo } from "./legacy/legacy-io.ts";
import type { OpenLogs } from "./log/open-logs.ts";
import type { Journals } from "./turns/journals.ts";
import type { LeaseFiles } from "./turns/lease-files.ts";

/** What the operations of the engine work with. */
export interface JsonlContext {
  readonly folder: string;
  readonly io: FileIo;
  readonly random: Random;
  readonly nowMs: Clock;
  readonly durable: boolean;
  readonly counter: ChangeCounter;
  readonly catalogue: Catalogue;
  readonly files: ConversationFiles;
  readonly logs: OpenLogs;
  readonly blobs: BlobFiles;
  readonly references: BlobReferences;
  readonly journals: Journals;
  readonly leases: LeaseFiles;
  readonly feed: Feed;
  /** Files of legacy formats; `io` shows them as if they were migrated. */
  readonly legacy: LegacyIo;
  /** What happens to them when they are written to. */
  readonly legacyPolicy: LegacyPolicy;
  badLine(path: string, line: BadLine): void;
  /** Something is not as it should be, and it was worked around. */
  report(place: string, message: string): void;
}

/** The conversation, with everything that was appended. Throws when it is not there, or in the trash. */
export function liveConversation({ catalogue }: JsonlContext, id: string): CatalogueEntry {
  const known = catalogue.byId(id);
  if (known === undefined || known.trashed) throw notFound(id);
  return known;
}

/** Do a change that others must notice. Under the lock. Gives what is there after it. */
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
