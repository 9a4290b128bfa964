import type { AppendOperation, AppendResult } from "../../operations.ts";
import { notFound, planAppend } from "../../rules.ts";
import type { Commit } from "../commit.ts";
import type { CatalogueEntry } from "../folder/catalogue-entry.ts";
import type { JsonlContext } from "../jsonl-context.ts";
import { EntryIndex } from "./entry-index.ts";
import type { OpenLog } from "./open-logs.ts";

export function appendEntries(
  context: JsonlContext,
  append: AppendOperation,
  commit: Commit,
  index: number,
): AppendResult {
  const known = context.catalogue.peek(append.conversation);
  if (known === undefined || known.trashed) throw notFound(append.conversation);
  const open = context.logs.open(known);
  const settle = (): void => {
    if (open.writer.isStaged) commit.flush();
  };
  const plan = planAppend(append, {
    get logEnd() {
      return open.writer.state;
    },
    byOperation: (operationId) => indexOf(context, known, open, settle).byOperation(operationId, settle),
    byEntryId: (id) => indexOf(context, known, open, settle).byId(id, settle),
    lease: () => context.leases.read(known.stem),
    hasBlob: (hash) => context.blobs.find(hash) !== undefined,
  });
  commit.endsTurn(known, append, index);
  if (append.epoch !== undefined && append.endsTurn === undefined) commit.syncsTurn(known, index);
  if (plan.replay !== undefined) {
    // Its writer may have died before the sync, or the sync is still to come and may fail.
    commit.mustSync(open.writer, index);
    return { replayed: true, entries: plan.replay };
  }
  storeBlobs(context, append);
  putJobs(context, append);
  commit.stage(append, known, open, plan.places, index);
  return { replayed: false, places: plan.places };
}

/** Building the index reads the file, so staged lines are written first. */
function indexOf({ io }: JsonlContext, known: CatalogueEntry, open: OpenLog, settle: () => void): EntryIndex {
  if (open.index === undefined) {
    settle();
    open.index = new EntryIndex(io, known.logPath);
  }
  return open.index;
}

/** Blobs are stored before the line that refers to them. */
function storeBlobs({ blobs }: JsonlContext, append: AppendOperation): void {
  for (const blob of append.blobs ?? []) blobs.put(blob, append.at);
  for (const { blobs: references = [] } of append.entries)
    for (const { hash } of references) blobs.keep(hash);
}

/** Jobs are stored before the line they belong to. After a crash between the two, nothing says that the line was accepted. */
export function putJobs({ jobs }: JsonlContext, { jobs: put }: AppendOperation): void {
  if (put !== undefined) jobs.change({ put, remove: [], expect: [] }, () => true);
}
