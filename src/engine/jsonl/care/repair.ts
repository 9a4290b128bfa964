/**
 * Repairs what can be repaired without losing a byte, under the lock.
 *
 * Unreadable lines are copied to a separate file before the log is rewritten
 * without them; counts and metadata are rebuilt from the log. Missing data
 * stays missing, and `verify` keeps reporting it.
 */

import { dirname } from "node:path";
import { pieces } from "../../../disk/copy-file.ts";
import type { FileIo } from "../../../disk/file-io.ts";
import { linesForward } from "../../../disk/line-scan.ts";
import { freeName, replaceFile } from "../../../disk/replace-file.ts";
import { withFile } from "../../../disk/with-file.ts";
import { advance, type BadLine, EMPTY_LOG } from "../../../transcript/log-state.ts";
import { timestamp17 } from "../../../util/time.ts";
import type { Finding } from "../../queries.ts";
import { rewrite } from "../erase/removals.ts";
import { feedFindings } from "../feed/feed-check.ts";
import { mendFeed, repairLog } from "../feed/feed-repair.ts";
import { type CatalogueEntry, infoOf } from "../folder/catalogue-entry.ts";
import { type JsonlContext, withChangeCounter } from "../jsonl-context.ts";
import { recountLog } from "../log/recount-log.ts";
import { verifyConversation } from "./verify-log.ts";

export function repairFolder(context: JsonlContext): Finding[] {
  const repaired = repairConversations(context);
  return [...repaired, ...repairFeed(context)];
}

function repairFeed(context: JsonlContext): Finding[] {
  const wrong = feedFindings(context);
  if (wrong.length > 0) mendFeed(context);
  return wrong.map((finding) => ({
    ...finding,
    message: `${finding.message}; rebuilt from the transcripts`,
  }));
}

function repairConversations(context: JsonlContext): Finding[] {
  return context.catalogue.all().flatMap(({ stem }) => {
    const known = context.catalogue.byStem(stem);
    // A missing log cannot be rebuilt, and a file in a legacy format is repaired by its migration.
    if (known === undefined || known.logMissing || context.legacy.ofStem(stem) !== undefined) return [];
    return repairConversation(context, known);
  });
}

function repairConversation(context: JsonlContext, known: CatalogueEntry): Finding[] {
  const { io, folder, logs, catalogue } = context;
  const { stem, logPath } = known;
  const { id } = known.metadata;
  const wrong = verifyConversation(io, folder, dirname(logPath), stem)?.findings ?? [];
  if (wrong.length === 0) return [];
  logs.sync(id);
  logs.close(id);
  const done: Finding[] = [];
  const note = (code: string, source: string, line: number | null, message: string): void => {
    done.push({ code, conversation: id, source, line, message });
  };
  repairLog(context, known, ({ reason }) => {
    if (reason.startsWith("torn")) note("torn-tail", logPath, null, reason);
  });
  const whole = catalogue.byStem(stem);
  if (whole === undefined) return done;
  const lines = badLines(io, whole);
  if (lines.length > 0) {
    const aside = setAside(context, whole, lines);
    for (const { line, reason } of lines) note("bad-line", logPath, line, `${reason}; set aside as ${aside}`);
    context.feed.syncAll();
    rewrite(context, whole, infoOf(whole).updatedAt, () => "keep", "drop");
  }
  const counts = wrong.filter(({ code }) => COUNTED.has(code));
  if (counts.length > 0) {
    recount(context, stem);
    for (const { code, source, message } of counts)
      note(code, source ?? logPath, null, `${message}; rebuilt from the transcript`);
  }
  return done;
}

/** Findings about metadata that is a cache of the log. */
const COUNTED: ReadonlySet<string> = new Set([
  "wrong-count",
  "damaged-metadata",
  "missing-metadata",
  "shrunk-log",
]);

interface NumberedLine extends BadLine {
  readonly line: number;
}

function badLines(io: FileIo, { logPath, log }: CatalogueEntry): NumberedLine[] {
  const found = new Map<number, BadLine>();
  const bad = (line: BadLine): void => void found.set(line.start, line);
  return withFile(io, logPath, "read", (file) => {
    advance(io, file, EMPTY_LOG, log.bytes, { bad });
    let line = 0;
    return Array.from(linesForward(io, file, 0, found.size === 0 ? 0 : log.bytes), ({ start }) => {
      line++;
      const one = found.get(start);
      return one === undefined ? [] : [{ ...one, line }];
    }).flat();
  });
}

/** Each line unchanged, after one that says what it is and where it was. */
function setAside(
  { io, random, nowMs }: JsonlContext,
  { logPath }: CatalogueEntry,
  lines: readonly NumberedLine[],
): string {
  const aside = freeName(io, `${logPath}.bad-${timestamp17(nowMs())}`);
  withFile(io, logPath, "read", (file) => {
    replaceFile(aside, described(io, file, logPath, lines), { io, random });
  });
  return aside;
}

function* described(
  io: FileIo,
  file: number,
  path: string,
  lines: readonly NumberedLine[],
): Generator<Buffer> {
  for (const { line, start, end, reason } of lines) {
    yield Buffer.from(`${JSON.stringify({ file: path, line, start, end, reason })}\n`);
    yield* pieces(io, file, start, end);
  }
}

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
