/**
 * Repairs what can be repaired without losing a byte, under the lock.
 *
 * Unreadable lines are moved to a separate file, and a gap in the log takes
 * their place; counts and metadata are rebuilt from the log. What cannot be
 * restored is recorded as lost, so that `verify` does not report it for ever.
 */

import { dirname, join } from "node:path";
import type { Steps } from "../../../util/steps.ts";
import { FindingList } from "../../findings.ts";
import type { Finding } from "../../queries.ts";
import { feedFindings } from "../feed/feed-check.ts";
import { mendFeed, repairLog } from "../feed/feed-repair.ts";
import { type CatalogueEntry, infoOf } from "../folder/catalogue-entry.ts";
import { stemOf, TRASH_FOLDER } from "../folder/names.ts";
import { repairJobs } from "../jobs/verify-jobs.ts";
import { type JsonlContext, withChangeCounter } from "../jsonl-context.ts";
import { recountLog } from "../log/recount-log.ts";
import { quarantine, recordLostLog, setCopyAside } from "./quarantine.ts";
import { repairMarks } from "./repair-marks.ts";
import { damagedBlobs, missingBlobs } from "./verify-blobs.ts";
import { verifyConversation } from "./verify-log.ts";

export function* repairFolder(context: JsonlContext): Steps<Finding[]> {
  const { catalogue, legacy } = context;
  const done = new FindingList();
  for (const { stem } of catalogue.all()) {
    const known = catalogue.byStem(stem);
    // A file in a legacy format is repaired by its migration.
    if (known === undefined || legacy.ofStem(stem) !== undefined) continue;
    if (known.logMissing) done.add(recordLostLog(context, known));
    else yield* repairConversation(context, known, done);
    yield;
  }
  yield* repairCopies(context, done);
  yield* repairBlobs(context, done);
  const feed = yield* feedFindings(context);
  if (feed.length > 0) mendFeed(context);
  for (const finding of feed)
    done.add({ ...finding, message: `${finding.message}; rebuilt from the transcripts` });
  repairMarks(context, done);
  repairJobs(context, done);
  return done.list();
}

function* repairConversation(context: JsonlContext, known: CatalogueEntry, done: FindingList): Steps<void> {
  const { io, folder, logs, catalogue } = context;
  const { stem, logPath } = known;
  const { id } = known.metadata;
  const wrong = (yield* verifyConversation(io, folder, dirname(logPath), stem))?.findings ?? [];
  if (wrong.length === 0) return;
  logs.sync(id);
  logs.close(id);
  const note = (code: string, source: string, message: string): void =>
    done.add({ code, conversation: id, source, line: null, message });
  repairLog(context, known, ({ reason }) => {
    if (reason.startsWith("torn")) note("torn-tail", logPath, reason);
  });
  const whole = catalogue.byStem(stem);
  if (whole === undefined) return;
  yield* quarantine(context, whole, done);
  const counts = wrong.filter(({ code }) => COUNTED.has(code));
  if (counts.length > 0) {
    recount(context, stem);
    for (const { code, source, message } of counts)
      note(code, source ?? logPath, `${message}; rebuilt from the transcript`);
  }
}

/** Findings about metadata that is a cache of the log. */
const COUNTED: ReadonlySet<string> = new Set([
  "wrong-count",
  "damaged-metadata",
  "missing-metadata",
  "shrunk-log",
]);

function recount(context: JsonlContext, stem: string): void {
  const { io, files, catalogue } = context;
  const known = catalogue.byStem(stem);
  if (known === undefined) return;
  const log = recountLog(io, known);
  const { updatedAt } = infoOf(known);
  withChangeCounter(context, stem, () => {
    files.setDamagedAside(known);
    files.writeMetadata(known.metadataPath, { ...known.metadata, updatedAt, log });
  });
}

/** A copy of a conversation is never read, because another file has the same id. */
function* repairCopies(context: JsonlContext, done: FindingList): Steps<void> {
  const { io, folder, catalogue } = context;
  for (const place of [folder, join(folder, TRASH_FOLDER)]) {
    if (io.stat(place) === undefined) continue;
    for (const stem of new Set(io.list(place).flatMap((name) => stemOf(name) ?? []))) {
      if (catalogue.has(stem)) continue;
      const copy = (yield* verifyConversation(io, folder, place, stem))?.conversation ?? null;
      if (copy === null || catalogue.byId(copy) === undefined) continue;
      done.add(setCopyAside(context, place, stem, copy));
    }
  }
}

function* repairBlobs({ io, blobs, catalogue, references }: JsonlContext, done: FindingList): Steps<void> {
  for (const { hash, finding, whole } of [...damagedBlobs(io, blobs)]) {
    if (whole !== undefined) blobs.rewriteSize(whole.blob, whole.size);
    const outcome = whole === undefined ? `set aside as ${blobs.recordLost(hash)}` : "rewritten";
    done.add({ ...finding, message: `${finding.message}; ${outcome}` });
    yield;
  }
  for (const known of catalogue.all()) {
    for (const { hash, finding } of missingBlobs(
      blobs,
      known.metadata.id,
      references.exactlyOf(known),
      known.logPath,
    )) {
      blobs.recordLost(hash);
      done.add({ ...finding, message: `${finding.message}; recorded as lost` });
    }
    yield;
  }
}
