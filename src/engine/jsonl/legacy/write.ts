/** Writes to conversations in legacy files, under the lock. */
import { refuseHardLinks } from "../../../disk/hard-links.ts";
import { NEWLINE } from "../../../disk/line-scan.ts";
import { withFile } from "../../../disk/with-file.ts";
import { ColloquyError, unavailable } from "../../../errors.ts";
import type { AppendOperation, Done, NewEntry, Operation } from "../../operations.ts";
import { planAppend } from "../../rules.ts";
import type { Commit } from "../commit.ts";
import type { CatalogueEntry } from "../folder/catalogue-entry.ts";
import type { JsonlContext } from "../jsonl-context.ts";
import { putJobs } from "../log/append.ts";
import { EntryIndex } from "../log/entry-index.ts";
import type { LegacyFile } from "./legacy-file.ts";
import { migrateConversation } from "./migrate.ts";

/** The legacy file that an operation would change, if there is one. */
export function legacyFileOf(
  context: JsonlContext,
  operation: Operation,
): { file: LegacyFile; known: CatalogueEntry } | undefined {
  if (!("conversation" in operation) || operation.type === "lease") return undefined;
  const known = context.catalogue.byId(operation.conversation);
  const file = known === undefined ? undefined : context.legacy.ofStem(known.stem);
  return known === undefined || file === undefined ? undefined : { file, known };
}

/** `undefined` if the file is now migrated, or need not be: the operation continues as usual then. */
export function writeToLegacy(
  context: JsonlContext,
  { file, known }: { readonly file: LegacyFile; readonly known: CatalogueEntry },
  operation: Operation,
  commit: Commit,
  index: number,
): Done | undefined {
  if (context.legacyPolicy === "refuse") throw refused(file);
  if (context.legacyPolicy === "migrate") {
    migrateConversation(context, known);
    return undefined;
  }
  if (operation.type === "append") return appendLegacy(context, file, known, operation, commit, index);
  // Metadata and journals have separate files.
  if (operation.type === "update" || operation.type === "journal") return undefined;
  throw notInLegacy(`${operation.type} is not supported`, file);
}

function appendLegacy(
  context: JsonlContext,
  file: LegacyFile,
  known: CatalogueEntry,
  append: AppendOperation,
  commit: Commit,
  index: number,
): Done {
  const find = new EntryIndex(context.io, known.logPath);
  const settle = (): void => {};
  const plan = planAppend(append, {
    logEnd: known.log,
    byOperation: (operationId) => find.byOperation(operationId, settle),
    byEntryId: (id) => find.byId(id, settle),
    lease: () => context.leases.read(known.stem),
    hasBlob: () => false,
  });
  commit.endsTurn(known, append, index);
  if (append.epoch !== undefined && append.endsTurn === undefined) commit.syncsTurn(known, index);
  if (plan.replay !== undefined) return { append: { replayed: true, entries: plan.replay } };
  for (const entry of append.entries) checkPlain(entry, file);
  const isElsewhere = plan.places.some(({ branch }) => branch !== known.log.tree.current);
  if (isElsewhere) throw notInLegacy("only the branch of its last message can be written to", file);
  const lines = append.entries.map((entry) => lineOf(entry, append.operationId));
  putJobs(context, append);
  addLines(context, file, Buffer.concat(lines));
  context.catalogue.refreshLog(known);
  commit.recordEntries(known, plan.places, append.entries[0]?.id as string, index);
  return { append: { replayed: false, places: plan.places } };
}

/** Write only what the programs that use such files can read. */
function checkPlain({ kind, sourcePlace, blobs = [] }: NewEntry, file: LegacyFile): void {
  if (kind !== "message" || sourcePlace !== undefined) throw notInLegacy("only messages can be added", file);
  if (blobs.length > 0) throw notInLegacy("a message with large parts cannot be added", file);
}

/** A line in the legacy format, with an id to recognise a retry. */
function lineOf({ id, at, json }: NewEntry, operationId: string | undefined): Buffer {
  const op = operationId === undefined ? "" : `,"op":${JSON.stringify(operationId)}`;
  return Buffer.from(`${json.slice(0, -1)},"timestamp":"${at}","id":${JSON.stringify(id)}${op}}\n`);
}

/** After a torn line, start a new one. */
function addLines({ legacy, durable }: JsonlContext, { files }: LegacyFile, lines: Buffer): void {
  const { real } = legacy;
  withFile(real, files.log, "write", (file) => {
    const { size, links } = real.statOpen(file);
    refuseHardLinks(files.log, { links });
    const last = Buffer.alloc(1);
    if (size > 0) real.read(file, last, size - 1);
    const bytes = size === 0 || last[0] === NEWLINE ? lines : Buffer.concat([Buffer.from("\n"), lines]);
    const written = real.write(file, bytes, size);
    if (written !== bytes.length) {
      real.truncate(file, size);
      throw unavailable(`Cannot write to ${files.log}: the disk is probably full`);
    }
    if (durable) real.sync(file);
  });
}

function refused({ files }: LegacyFile): ColloquyError {
  return new ColloquyError(
    "NOT_SUPPORTED",
    `${files.log} is in a legacy format, and sessions.auto_migrate is off: run colloquy sessions migrate --to v2`,
    { field: "sessions", details: { path: files.log } },
  );
}

function notInLegacy(what: string, { files }: LegacyFile): ColloquyError {
  return new ColloquyError(
    "NOT_SUPPORTED",
    `${files.log} stays in its legacy format (sessions.format is legacy), in which ${what}: run colloquy sessions migrate --to v2`,
    { field: "sessions", details: { path: files.log } },
  );
}
