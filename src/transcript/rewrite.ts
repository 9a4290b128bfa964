/**
 * Replaces a log by a copy with some lines changed or removed, the one operation
 * that is not append-only. Unreadable lines stay byte for byte, unless the
 * caller has saved them elsewhere.
 */

import { pieces } from "../disk/copy-file.ts";
import type { FileIo } from "../disk/file-io.ts";
import { linesForward, type RawLine } from "../disk/line-scan.ts";
import { replaceFile } from "../disk/replace-file.ts";
import { withFile } from "../disk/with-file.ts";
import type { StoredEntry } from "../message/types.ts";
import type { Random } from "../util/uuid.ts";
import { encodeGap, encodeHeader, withoutBatch } from "./lines.ts";
import { bareLine, decodeRaw } from "./log-state.ts";

/** What happens to an entry: it is kept, dropped, or replaced by this line, which ends with a newline. */
export type Rewritten = "keep" | "drop" | Buffer;

/** What a repair does with a line: keep it, remove it as lost, or mark it, because what it follows is lost. */
export type Judged = "keep" | "lost" | "mark";

/**
 * Call it under the lock, with `end` at the end of a complete append. Readers
 * see the old or the new log. `key` is the session key for the header.
 */
export function rewriteLog(
  io: FileIo,
  random: Random,
  path: string,
  end: number,
  transform: (entry: StoredEntry, branch: number) => Rewritten,
  key: string | null,
): void {
  withFile(io, path, "read", (file) =>
    replaceFile(path, rewritten(io, file, end, transform, key), { io, random }),
  );
}

export interface GapOptions {
  readonly judge: (raw: RawLine) => Judged;
  /** Where the caller has saved the lost lines. */
  readonly aside: string | null;
  /** Written before the first line, if the header is lost. */
  readonly header: Buffer | undefined;
}

/** `rewriteLog` for a repair: a gap takes the place of lost lines. */
export function rewriteWithGaps(
  io: FileIo,
  random: Random,
  path: string,
  end: number,
  options: GapOptions,
): void {
  withFile(io, path, "read", (file) => replaceFile(path, withGaps(io, file, end, options), { io, random }));
}

/** Consecutive lines that are kept are copied together. */
function* rewritten(
  io: FileIo,
  file: number,
  end: number,
  transform: (entry: StoredEntry, branch: number) => Rewritten,
  key: string | null,
): Generator<Buffer> {
  let copyFrom = 0;
  for (const raw of linesForward(io, file, 0, end)) {
    const line = rewrittenLine(raw, transform, key);
    if (line === "keep") continue;
    yield* pieces(io, file, copyFrom, raw.start);
    if (line !== "drop") yield line;
    copyFrom = raw.end;
  }
  yield* pieces(io, file, copyFrom, end);
}

function rewrittenLine(
  raw: RawLine,
  transform: (entry: StoredEntry, branch: number) => Rewritten,
  key: string | null,
): Rewritten {
  const line = decodeRaw(raw);
  if (line?.ok && line.header !== undefined && line.header.key !== key) {
    return encodeHeader({ ...line.header, key });
  }
  if (!line?.ok || line.entry === undefined) return "keep";
  const result = transform(line.entry, line.branch);
  return result === "keep" ? withoutOthers(raw) : result;
}

/** A line without the other lines of its append, which would look torn otherwise. */
function withoutOthers(raw: RawLine): "keep" | Buffer {
  const line = decodeRaw(raw);
  return line?.ok && line.entry !== undefined && line.batch !== undefined
    ? withoutBatch(bareLine(raw) as Buffer)
    : "keep";
}

function* withGaps(
  io: FileIo,
  file: number,
  end: number,
  { judge, aside, header }: GapOptions,
): Generator<Buffer> {
  if (header !== undefined) yield header;
  let copyFrom = 0;
  let lost = 0;
  for (const raw of linesForward(io, file, 0, end)) {
    const judged = judge(raw);
    if (judged === "lost") {
      if (lost++ === 0) yield* pieces(io, file, copyFrom, raw.start);
      copyFrom = raw.end;
      continue;
    }
    const line = withoutOthers(raw);
    if (lost === 0 && judged === "keep" && line === "keep") continue;
    yield* pieces(io, file, copyFrom, raw.start);
    if (lost > 0 || judged === "mark") yield encodeGap({ lines: lost, aside: lost > 0 ? aside : null });
    lost = 0;
    if (line !== "keep") yield line;
    copyFrom = line === "keep" ? raw.start : raw.end;
  }
  if (lost > 0) yield encodeGap({ lines: lost, aside });
  yield* pieces(io, file, copyFrom, end);
}
