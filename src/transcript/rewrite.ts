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
import { withoutBatch } from "./lines.ts";
import { bareLine, decodeRaw } from "./log-state.ts";

/** What happens to an entry: it is kept, dropped, or replaced by this line, which ends with a newline. */
export type Rewritten = "keep" | "drop" | Buffer;

/** Call it under the lock, with `end` at the end of a complete append. Readers see the old or the new log. */
export function rewriteLog(
  io: FileIo,
  random: Random,
  path: string,
  end: number,
  transform: (entry: StoredEntry, branch: number) => Rewritten,
  bad: "keep" | "drop" = "keep",
): void {
  withFile(io, path, "read", (file) =>
    replaceFile(path, rewritten(io, file, end, transform, bad), { io, random }),
  );
}

/** Consecutive lines that are kept are copied together. */
function* rewritten(
  io: FileIo,
  file: number,
  end: number,
  transform: (entry: StoredEntry, branch: number) => Rewritten,
  bad: "keep" | "drop",
): Generator<Buffer> {
  let copyFrom = 0;
  for (const raw of linesForward(io, file, 0, end)) {
    const line = rewrittenLine(raw, transform, bad);
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
  bad: "keep" | "drop",
): Rewritten {
  const line = decodeRaw(raw);
  if (line?.ok === false) return bad;
  if (!line?.ok || line.entry === undefined) return "keep";
  const result = transform(line.entry, line.branch);
  // Without its other lines, the append would look torn.
  return result === "keep" && line.batch !== undefined ? withoutBatch(bareLine(raw) as Buffer) : result;
}
