/** One file of a source, read by the reader that knows it. */
import { isJsonObject, type Json, type JsonObject } from "../../util/json.ts";
import type { FormatDeclaration } from "../contract/format.ts";
import type { RecordReader } from "../contract/reader.ts";
import { openSourceDatabase } from "../sources/database.ts";
import { hasLog } from "../sources/database-files.ts";
import { readElements } from "../sources/json/elements.ts";
import { readLines } from "../sources/lines.ts";
import { problemOf, reasonOf } from "../sources/problem.ts";
import { ReadCheck } from "../sources/read-check.ts";
import type { ByteSource, SourceFile } from "../sources/types.ts";
import {
  begunOf,
  formerlyBegun,
  hasGrown,
  isFirstLineTorn,
  isOnlyBegun,
  keepNeverCompleted,
  takeItsKey,
} from "./begun.ts";
import { candidatesFor, isNarrowedFor, type WithDocument, type WithLines } from "./detection/candidates.ts";
import { databaseFormat, isCompanion } from "./detection/choose-format.ts";
import { readerFor } from "./detection/reader-for.ts";
import { isOfStore, unexpected } from "./file-failure.ts";
import { isUnchanged, memoryOf, type Read, START } from "./file-memory.ts";
import { FileSink } from "./file-sink.ts";
import { fingerprintNow, fingerprintOf } from "./fingerprint.ts";
import { type Fork, forkOf, retire } from "./forks/fork.ts";
import type { FileMemory, Ledger, PutOptions } from "./ledger/ledger.ts";
import { LineReader } from "./line-reader.ts";
import type { FileForm } from "./original/file-originals.ts";
import type { FileStream } from "./original/file-stream.ts";
import type { ImportSession } from "./session.ts";
import type { SideFiles } from "./side-files.ts";
import type { TextPlaceholders } from "./text-placeholders.ts";

export interface FileJob {
  readonly session: ImportSession;
  readonly ledger: Ledger;
  readonly sideFiles: SideFiles;
  /** The name of the format that the user chose. */
  readonly wanted: string | undefined;
  /** Whether the file is complete, so that nothing is left for a later import. */
  readonly isFinal: (file: SourceFile) => boolean;
  readonly onBytes: (path: string, bytes: number) => void;
  /** Everything was read, and is being written. */
  readonly onRead: () => void;
  /** Reads another file of the import, unless it was read. Returns false if that is done in the second pass. */
  readonly readFirst: (path: string) => Promise<boolean>;
  /** Whether the user wants nothing of a file. */
  readonly isForgotten: (path: string) => boolean;
  /** Leave this file for the second pass. */
  readonly postpone: () => void;
  readonly signal: AbortSignal | undefined;
}

/** A file job with its open file. */
interface Opened extends FileJob {
  readonly file: SourceFile;
  readonly source: ByteSource;
  readonly memory: FileMemory | undefined;
  readonly sinks: FileSink[];
}

/**
 * Nothing is written before this many bytes of a file were read, so that an error in a file of up to this size
 * leaves its conversations as they were. Of a larger one, everything before the error may be written: holding all
 * of it would take any amount of memory. The next import reads it again, and ids keep entries from being stored twice.
 */
const HELD_BYTES_MAX = 4 * 1024 * 1024;

/** Read a file that is new or has changed. An error that it causes is reported and ends this file only. */
export async function importFile(
  job: FileJob,
  file: SourceFile,
  memory: FileMemory | undefined,
): Promise<void> {
  const sinks: FileSink[] = [];
  try {
    const source = await file.open();
    try {
      await readFile({ ...job, file, source, memory, sinks });
    } finally {
      await source.close();
    }
  } catch (error) {
    await Promise.all(sinks.map((sink) => sink.drop()));
    if (job.signal?.aborted === true) return;
    if (isOfStore(error)) throw error;
    const isKept = sinks.some(({ writers }) => writers.some(({ tree }) => tree.messagesAdded > 0));
    const reason = problemOf(error) === undefined ? unexpected(error, isKept) : reasonOf(error, file.path);
    job.session.report.skip({ source: file.path, line: null, offset: null, reason });
  }
}

async function readFile(opened: Opened): Promise<void> {
  const { file, source, session, wanted } = opened;
  if (isCompanion(file.path) && wanted === undefined) return;
  const reader = await readerFor(source, file.path, candidatesFor(file, wanted));
  const isTorn = reader.kind !== "lines" && (await isFirstLineTorn(source, file));
  if (isTorn) return void session.report.count(file.path, "pending");
  if (reader.kind === "database") return readDatabase(opened);
  if (reader.kind === "lines") return readLinesOf(opened, reader.format, reader.records);
  if (reader.kind === "document") return readDocument(opened, reader.format);
  if (reader.kind === "damaged") {
    const { offset, reason } = reader;
    session.report.skip({ source: file.path, line: null, offset, reason });
  } else if (reader.kind === "unknown") session.report.ignore(file.path);
  else session.report.empty++;
  putUnread(opened, true);
}

async function sinkOf(
  opened: Opened,
  format: FormatDeclaration,
  kept: FileForm & { readonly resumes: boolean },
): Promise<FileSink> {
  const { session, file, ledger, sideFiles, memory } = opened;
  const described = await sideFiles.read(format, file.around);
  session.report.count(file.path, "files");
  const origin = { format: format.name, file: file.relative, around: file.around };
  const isUnfinished = session.mode === "write" && ledger.begin(file.path);
  const sink = new FileSink(session, origin, described, memory, { ...kept, isUnfinished, ledger });
  opened.sinks.push(sink);
  return sink;
}

/** Write what was read so far, unless it is held: `bytes` is how much of the file was read, uncompressed. */
async function write({ session }: Opened, sink: FileSink, bytes: number, check?: ReadCheck): Promise<void> {
  if (bytes <= HELD_BYTES_MAX) return session.prepare(sink.writers);
  await check?.check();
  sink.letWrite();
  await session.applyBackpressure(sink.writers);
}

/** Nothing more is read, so that the next file can be read meanwhile, unless it has to know what this one previews. */
async function finish(opened: Opened, sink: FileSink, final: boolean, size?: number): Promise<void> {
  const finished = sink.finish(final, size);
  if (opened.session.mode !== "write") await finished;
  opened.onRead();
  await finished;
}

async function readLinesOf(opened: Opened, format: WithLines, records: readonly JsonObject[]): Promise<void> {
  const { session, file, source, memory, signal, ledger } = opened;
  const resumes = await goesOn(opened, format);
  const fork = resumes ? ON_ITS_OWN : await baseOf(opened, format, records);
  if (fork === undefined) return opened.postpone();
  const { base, awaits, former, isOpen = false } = fork;
  // What continues this file waits for the second pass as well.
  if (isOpen) opened.postpone();
  const before = resumes ? memory : undefined;
  const from = before?.kept ?? START;
  const sink = await sinkOf(opened, format, { resumes, form: "lines", from: from.offset, keepsRows: false });
  const { stream } = sink.originals;
  const reader = format.lines.open(sink, file.around, resumes ? (memory?.reader as Json) : undefined, base);
  const reading = new LineReader(reader, sink, session.placeholders, before ?? START);
  const check = new ReadCheck(source, file.path);
  let told = reading.offset;
  const problem = await guarded(async () => {
    const options = { ...stream.options, from, signal };
    for await (const batch of readLines(stream.recording(check.source), options)) {
      for (const line of batch) {
        const waiting = reading.read(line);
        if (waiting !== undefined) await waiting;
      }
      stream.cut(reading.line);
      stream.release();
      await write(opened, sink, stream.end - from.offset, check);
      await sink.trim();
      opened.onBytes(file.path, reading.offset - told);
      told = reading.offset;
    }
  });
  const fingerprint = session.mode === "write" ? await fingerprintNow(source, reading.offset) : "";
  await check.check();
  const isStopped = signal?.aborted === true;
  const final = !isStopped && opened.isFinal(file) && !isOnlyBegun(format, file, ledger, sink);
  const isTorn = keepNeverCompleted(reading, sink, file);
  const isPending = reading.pending !== undefined && !isTorn;
  const mayGrow = !final || isPending || hasGrown(file, stream.end);
  if (!isStopped && mayGrow) session.report.count(file.path, "pending");
  reader.end(final);
  const isWhole = final && !isPending && problem === undefined;
  await finish(opened, sink, final, isWhole ? stream.end : undefined);
  if (problem !== undefined && !isStopped) {
    sink.tell({ line: reading.line, offset: reading.offset }, reasonOf(problem, file.path));
  }
  if (session.mode !== "write") return;
  const left = former ?? formerlyBegun(ledger, file.path, sink);
  // As long as a part of the file is missing in the other conversation, it is read again.
  if (left !== undefined && (isStopped || problem !== undefined)) return;
  const read: Read = {
    awaits: resumes ? memory?.awaits : awaits,
    former: former ?? memory?.former,
    format: format.name,
    offset: reading.offset,
    line: reading.line,
    whole: isWhole,
    kept: stream.held ?? { offset: reading.offset, line: reading.line },
    // The bytes of a torn line are kept, and it may be completed after all: then all of the file is compared.
    reader: isTorn ? undefined : stateOf(reader, sink, session.placeholders),
  };
  const put = (): void =>
    putRead(opened, memoryOf(file, read, sink, fingerprint), sink, { continued: resumes, isDue: isOpen });
  if (left === undefined || sink.hasTrashed || sink.hasPurged) return put();
  const isRetired = await retire(session.ingest, ledger, left.id, file.path, put);
  if (isRetired && left === former) session.report.joined++;
  else if (isRetired) await takeItsKey(session.ingest, sink);
}

/** With it, a later import continues where this one ends. */
function stateOf(reader: RecordReader, sink: FileSink, placeholders: TextPlaceholders): Json | undefined {
  const state = sink.canContinue ? reader.state() : undefined;
  return placeholders.areIn(state) ? undefined : state;
}

/**
 * The file that this one continues. Its entries are stored first, so that those of this file find their parents.
 * `undefined` if they may still move to another conversation.
 */
async function baseOf(
  { file, readFirst, isForgotten, session, ledger }: Opened,
  { lines, name }: WithLines,
  records: readonly JsonObject[],
): Promise<Fork | undefined> {
  const base = await lines.base?.(records, file.around, session.findings);
  if (base === undefined) return ON_ITS_OWN;
  const path = base.file && file.around.pathOf(base.file.name);
  if (path !== undefined && !(await readFirst(path))) return undefined;
  const { ingest, mode, again, report } = session;
  const onApart = (): void => {
    report.apart++;
  };
  const { isApart } = session;
  return forkOf({ ingest, ledger, mode, again, isApart, isForgotten, onApart }, file, name, base);
}

const ON_ITS_OWN: Fork = { base: undefined, awaits: undefined, former: undefined };

/** Whether the file still begins with the part that was read, so that reading can continue after it. */
async function goesOn(
  { memory, session, file, source, ledger }: Opened,
  format: WithLines,
): Promise<boolean> {
  if (ledger.awaiting.isDue(file.path)) return false;
  if (memory === undefined || session.mode !== "write" || memory.format !== format.name) return false;
  if (memory.reader === undefined || memory.offset === 0) return false;
  if (begunOf(ledger, file.path) !== undefined) return false;
  // Of one without a conversation, it is not known yet what it continues.
  if (format.lines.base !== undefined && ledger.conversations.last(file.path) === undefined) return false;
  if (file.archive !== undefined || memory.identity !== file.identity || file.size < memory.offset)
    return false;
  return (await fingerprintOf(source, memory.offset)) === memory.fingerprint;
}

async function readDocument(opened: Opened, format: WithDocument): Promise<void> {
  const { session, file, source, memory, signal } = opened;
  const isSame = memory !== undefined && isUnchanged(file, memory) && memory.format === format.name;
  const done = isSame && session.mode === "write" ? memory.offset : 0;
  const keepsRows = format.document.isScattered === true;
  const sink = await sinkOf(opened, format, { resumes: false, form: "document", from: 0, keepsRows });
  const { stream } = sink.originals;
  const check = new ReadCheck(source, file.path);
  let offset = done;
  let ended = true;
  // The file is one value, which is kept as it is.
  let isAlone = true;
  let count = 0;
  const isElement = (value: Json): boolean => isJsonObject(value) && format.document.sniff(value);
  const problem = await guarded(async () => {
    const options = { ...stream.options, signal, isElement };
    for await (const element of readElements(stream.recording(check.source), options)) {
      if (element.offset < done) {
        stream.add(element.offset, element.bytes, false);
        stream.releaseClaimed();
        continue;
      }
      sink.flush();
      isAlone &&= ++count === 1 && keepGap(stream, element.offset);
      stream.add(element.offset, element.bytes, false);
      sink.originals.element = element.offset;
      if ("problem" in element) sink.skip({ ...element, line: null }, element.problem);
      else {
        const record = { ...element, line: null };
        const reading = await format.document.read(record, sink, file.around, session.findings);
        for await (const bytes of reading ?? []) {
          await write(opened, sink, element.offset - done + bytes, check);
          await sink.trim();
          if (signal?.aborted === true) break;
        }
      }
      stream.releaseClaimed();
      await write(opened, sink, element.offset - done, check);
      await sink.trim();
      opened.onBytes(file.path, element.offset - offset);
      offset = element.offset;
      if (signal?.aborted === true) {
        ended = false;
        break;
      }
    }
  });
  await check.check();
  if (ended) opened.onBytes(file.path, file.size - offset);
  if (sink.isWaiting) session.report.count(file.path, "pending");
  isAlone &&= keepGap(stream, stream.end) && ended && problem === undefined;
  await finish(opened, sink, true, isAlone ? stream.end : undefined);
  if (problem !== undefined) throw problem;
  if (session.mode !== "write") return;
  const isScattered = format.document.isScattered === true && sink.writers.length > 0;
  const read = { format: format.name, offset: ended ? 0 : offset, line: 1, whole: ended && !isScattered };
  putRead(opened, memoryOf(file, read, sink, ""), sink);
}

/** White space around the only value of a file is a part of it; punctuation between elements is not. */
function keepGap(stream: FileStream, offset: number): boolean {
  const gap = stream.unread(offset);
  const isSpace = gap.toString().trim() === "";
  if (gap.length > 0 && isSpace) stream.add(offset - gap.length, gap.length, true);
  return isSpace;
}

async function readDatabase(opened: Opened): Promise<void> {
  const { session, file, signal, wanted } = opened;
  const database = await openSourceDatabase(file);
  try {
    const format = databaseFormat(database, candidatesFor(file, wanted));
    if (format === undefined) {
      session.report.ignore(file.path);
      putUnread(opened, !hasLog(file));
      return;
    }
    const sink = await sinkOf(opened, format, { resumes: false, form: "rows", from: 0, keepsRows: true });
    const problem = await guarded(async () => {
      for await (const _ of format.database.read(database, sink, file.around)) {
        if (database.isDamaged) sink.notes.leaveAllOpen();
        await write(opened, sink, file.size);
        await sink.trim();
        if (signal?.aborted === true) break;
      }
    });
    opened.onBytes(file.path, file.size);
    if (sink.isWaiting) session.report.count(file.path, "pending");
    for (const reason of database.leftOut) sink.tell({ line: null, offset: null }, reason);
    await finish(opened, sink, true);
    if (problem !== undefined) throw problem;
    if (session.mode !== "write") return;
    const whole = signal?.aborted !== true && !sink.isWaiting && !hasLog(file);
    const read = { format: format.name, offset: 0, line: 1, whole };
    putRead(opened, memoryOf(file, read, sink, ""), sink);
  } finally {
    database.close();
  }
}

/** A file without conversations, so that it is left out until it changes. */
function putUnread({ session, ledger, file, wanted }: Opened, whole: boolean): void {
  const read: Read = { format: null, offset: 0, line: 1, whole };
  const isNarrowed = isNarrowedFor(file, wanted) || undefined;
  if (session.mode === "write") ledger.put({ ...memoryOf(file, read, undefined, ""), wanted, isNarrowed });
}

function putRead(
  { ledger, memory, wanted }: Opened,
  read: FileMemory,
  sink: FileSink,
  options: Pick<PutOptions, "continued" | "isDue"> = {},
): void {
  const noted = { rest: sink.takeNotes(), offered: sink.offered, keepsOthers: memory !== undefined };
  ledger.put({ ...read, wanted }, { ...options, ...noted });
}

/** The problem of a source that interrupted the work, if any. Everything read before it counts. */
async function guarded(work: () => Promise<void>): Promise<unknown> {
  try {
    await work();
    return undefined;
  } catch (error) {
    if (problemOf(error) === undefined && (error as Error)?.name !== "AbortError") throw error;
    return error;
  }
}
