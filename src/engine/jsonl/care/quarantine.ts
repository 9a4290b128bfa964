/** Moves damage out of the way, under the lock, and records in the log that something is missing. */
import { join } from "node:path";
import { pieces } from "../../../disk/copy-file.ts";
import type { FileIo } from "../../../disk/file-io.ts";
import { linesForward, type RawLine } from "../../../disk/line-scan.ts";
import { freeName, replaceFile } from "../../../disk/replace-file.ts";
import { withFile } from "../../../disk/with-file.ts";
import { encodeGap, encodeHeader } from "../../../transcript/lines.ts";
import { decodeRaw, EMPTY_LOG } from "../../../transcript/log-state.ts";
import { headerOf } from "../../../transcript/metadata.ts";
import { type Judged, rewriteWithGaps } from "../../../transcript/rewrite.ts";
import { type OddParent, oddParentText } from "../../../tree/cycles.ts";
import type { Steps } from "../../../util/steps.ts";
import { timestamp17 } from "../../../util/time.ts";
import type { FindingList } from "../../findings.ts";
import type { Finding } from "../../queries.ts";
import { replaceLog } from "../erase/removals.ts";
import { type CatalogueEntry, infoOf } from "../folder/catalogue-entry.ts";
import { logName, metadataName } from "../folder/names.ts";
import { type JsonlContext, withChangeCounter } from "../jsonl-context.ts";
import { scanLog } from "./scan-log.ts";

/** Replace unreadable lines and second copies of entries by gaps, and mark entries whose parent is missing. */
export function* quarantine(context: JsonlContext, known: CatalogueEntry, done: FindingList): Steps<void> {
  const { io, random, feed } = context;
  const { logPath, metadata, log } = known;
  let lost = 0;
  const count = (): void => void lost++;
  const scanned = yield* scanLog(io, logPath, log.bytes, { bad: count, duplicate: count });
  // A gap takes the place of a bad line, and says enough.
  const marked = new Set(scanned.orphans.filter(({ afterBadLine }) => !afterBadLine).map(({ id }) => id));
  if (lost === 0 && marked.size === 0) return;
  const found = { conversation: metadata.id, source: logPath };
  const aside = lost === 0 ? null : setAside(context, known);
  if (aside !== null) {
    withFile(io, logPath, "read", (file) => {
      for (const { line, reason } of lostLines(io, file, log.bytes))
        done.add({ code: "bad-line", ...found, line, message: `${reason}; set aside as ${aside}` });
    });
  }
  const oddities = scanned.oddities();
  for (const [index, { id, parentId }] of scanned.orphans.entries()) {
    const code = oddities[index] as OddParent;
    const message = `entry ${id} is marked: it ${oddParentText(code, id, parentId)}`;
    done.add({ code, ...found, line: null, message });
  }
  feed.syncAll();
  const judge = judgeLines(marked);
  const header = scanned.state.header === undefined ? encodeHeader(headerOf(metadata)) : undefined;
  replaceLog(context, known, infoOf(known).updatedAt, () =>
    rewriteWithGaps(io, random, logPath, log.bytes, { judge: (raw) => judge(raw).judged, aside, header }),
  );
}

interface Verdict {
  readonly judged: Judged;
  readonly reason?: string;
}

function judgeLines(marked: ReadonlySet<string>): (raw: RawLine) => Verdict {
  const ids = new Set<string>();
  return (raw) => {
    const line = decodeRaw(raw);
    if (line?.ok === false) return { judged: "lost", reason: line.reason };
    if (line?.entry === undefined) return { judged: "keep" };
    const { id } = line.entry;
    if (ids.has(id)) return { judged: "lost", reason: `entry ${id} occurs twice` };
    ids.add(id);
    return { judged: marked.has(id) ? "mark" : "keep" };
  };
}

interface LostLine {
  readonly raw: RawLine;
  readonly line: number;
  readonly reason: string;
}

function* lostLines(io: FileIo, file: number, end: number): Generator<LostLine> {
  const judge = judgeLines(new Set());
  let line = 0;
  for (const raw of linesForward(io, file, 0, end)) {
    line++;
    const { judged, reason = "" } = judge(raw);
    if (judged === "lost") yield { raw, line, reason };
  }
}

/** Each line unchanged, after one that says what it is and where it was. */
function setAside({ io, random, nowMs }: JsonlContext, { logPath, log }: CatalogueEntry): string {
  const aside = freeName(io, `${logPath}.bad-${timestamp17(nowMs())}`);
  withFile(io, logPath, "read", (file) => {
    replaceFile(aside, together(described(io, file, logPath, log.bytes)), { io, random });
  });
  return aside;
}

function* described(io: FileIo, file: number, path: string, to: number): Generator<Buffer> {
  for (const { raw, line, reason } of lostLines(io, file, to)) {
    const { start, end, bytes } = raw;
    yield Buffer.from(`${JSON.stringify({ file: path, line, start, end, reason })}\n`);
    if (bytes === undefined) yield* pieces(io, file, start, end);
    else yield Buffer.concat([bytes, NEWLINE_BYTES]);
  }
}

const NEWLINE_BYTES = Buffer.from("\n");
const WRITE_BYTES = 256 * 1024;

/** Fewer and larger pieces, because millions of short writes take minutes. */
function* together(parts: Iterable<Buffer>): Generator<Buffer> {
  let waiting: Buffer[] = [];
  let bytes = 0;
  for (const part of parts) {
    waiting.push(part);
    bytes += part.length;
    if (bytes < WRITE_BYTES) continue;
    yield Buffer.concat(waiting);
    [waiting, bytes] = [[], 0];
  }
  yield Buffer.concat(waiting);
}

/** The log is gone, and with it every entry. A new one continues its numbers. */
export function recordLostLog(context: JsonlContext, known: CatalogueEntry): Finding {
  const { io, random, files } = context;
  const { logPath, metadata, log, stem } = known;
  const { updatedAt } = infoOf(known);
  const header = encodeHeader(headerOf(metadata));
  withChangeCounter(context, stem, () => {
    files.setDamagedAside(known);
    replaceFile(logPath, [header, encodeGap({ lines: log.lastSeq, aside: null })], { io, random });
    files.writeMetadata(known.metadataPath, { ...metadata, updatedAt, log: EMPTY_LOG });
  });
  const message = `the transcript with ${log.messages} messages is missing; recorded as lost`;
  return { code: "missing-log", conversation: metadata.id, source: logPath, line: null, message };
}

export function setCopyAside(
  context: JsonlContext,
  place: string,
  stem: string,
  conversation: string,
): Finding {
  const { io, nowMs } = context;
  const at = timestamp17(nowMs());
  const source = join(place, logName(stem));
  const aside = freeName(io, `${source}.bad-${at}`);
  const metadata = join(place, metadataName(stem));
  withChangeCounter(context, stem, () => {
    if (io.stat(source) !== undefined) io.rename(source, aside);
    if (io.stat(metadata) !== undefined) io.rename(metadata, freeName(io, `${metadata}.damaged-${at}`));
    io.syncFolder(place);
  });
  const message = `it is a copy of conversation ${conversation}; set aside as ${aside}`;
  return { code: "duplicate-conversation", conversation, source, line: null, message };
}
