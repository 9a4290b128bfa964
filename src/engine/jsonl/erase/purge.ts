/**
 * Removes a conversation permanently, under the lock.
 *
 * Writing the file `<stem>.purge` is the commit: from then on the conversation
 * is invisible, and the next opener removes any files that a crash leaves.
 */

import { join } from "node:path";
import { readChunk } from "../../../disk/line-scan.ts";
import { removeLeftovers, replaceFile } from "../../../disk/replace-file.ts";
import { withFile } from "../../../disk/with-file.ts";
import { checkSum, sealObject } from "../../../transcript/lines.ts";
import type { PurgeOperation, Removed } from "../../operations.ts";
import { type Freed, purgeMark, receipt } from "../../removal-rules.ts";
import { checkPurge, notFound } from "../../rules.ts";
import { infoOf } from "../folder/catalogue-entry.ts";
import { LEGACY_FOLDER, PURGED_FILE, purgedStemOf, purgeName, TRASH_FOLDER } from "../folder/names.ts";
import type { JsonlContext, RecordChange } from "../jsonl-context.ts";

interface Purge {
  readonly id: string;
  /** The blobs that its entries refer to. */
  readonly blobs: readonly string[];
}

export function purgeConversation(
  context: JsonlContext,
  purging: PurgeOperation,
  record: RecordChange,
): Removed {
  const { conversation } = purging;
  const { catalogue, counter, logs, references } = context;
  const known = catalogue.byId(conversation);
  if (known === undefined) throw notFound(conversation);
  checkPurge(purging, { byId: () => infoOf(known) });
  const { stem, log } = known;
  const purge = { id: conversation, blobs: [...references.exactlyOf(known)] };
  // Appends of the same commit are acknowledged first.
  logs.sync(conversation);
  logs.close(conversation);
  const freed = counter.during(() => {
    rememberPurged(context, stem);
    begin(context, stem, purge);
    catalogue.reread(stem);
    return finish(context, stem, purge);
  });
  catalogue.trustCounter();
  record("purged", known);
  return receipt(log.entries, log.bytes, [freed]);
}

/** The mark comes second: a crash between the two must not leave one for a conversation that is still there. */
function begin(context: JsonlContext, stem: string, purge: Purge): void {
  const { io, folder, marks } = context;
  writeFile(context, purgeName(stem), sealObject(purge));
  try {
    marks.add([purgeMark(purge.id)]);
  } catch (error) {
    io.remove(join(folder, purgeName(stem)));
    throw error;
  }
}

/** Complete purges that a crash interrupted. Returns the purged conversations. */
export function finishPurges(context: JsonlContext): { readonly stem: string; readonly id: string }[] {
  const { io, folder, counter, marks } = context;
  return io.list(folder).flatMap((name) => {
    const stem = purgedStemOf(name);
    if (stem === undefined) return [];
    const purge = readPurge(context, name);
    if (purge !== undefined) marks.add([purgeMark(purge.id)]);
    counter.during(() => finish(context, stem, purge ?? { id: "", blobs: [] }));
    return purge === undefined ? [] : [{ stem, id: purge.id }];
  });
}

function finish({ io, folder, references, jobs }: JsonlContext, stem: string, purge: Purge): Freed {
  for (const place of [folder, join(folder, TRASH_FOLDER), join(folder, LEGACY_FOLDER)]) {
    if (io.stat(place) === undefined) continue;
    removeLeftovers(io, place);
    const names = io.list(place).filter((name) => name.startsWith(`${stem}.`) && name !== purgeName(stem));
    for (const name of names) io.remove(join(place, name));
    io.syncFolder(place);
  }
  jobs.removeOf(purge.id);
  const freed = references.dropUnused(purge.blobs);
  io.remove(join(folder, purgeName(stem)));
  io.syncFolder(folder);
  return freed;
}

function readPurge({ io, folder }: JsonlContext, name: string): Purge | undefined {
  const path = join(folder, name);
  return withFile(io, path, "read", (file) => {
    const line = readChunk(io, file, 0, io.statOpen(file).size - 1);
    return checkSum(line) === "right" ? JSON.parse(line.toString("utf8")) : undefined;
  });
}

/** The last purged stem. No stem up to this one is used again. */
export function lastPurged({ io, folder }: JsonlContext): string | undefined {
  const path = join(folder, PURGED_FILE);
  if (io.stat(path) === undefined) return undefined;
  return withFile(io, path, "read", (file) => {
    const stem = readChunk(io, file, 0, 17).toString("latin1");
    return /^\d{17}$/.test(stem) ? stem : undefined;
  });
}

function rememberPurged(context: JsonlContext, stem: string): void {
  if (stem > (lastPurged(context) ?? "")) writeFile(context, PURGED_FILE, Buffer.from(`${stem}\n`));
}

function writeFile({ io, random, folder }: JsonlContext, name: string, content: Buffer): void {
  replaceFile(join(folder, name), content, { io, random });
}
