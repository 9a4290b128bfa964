/**
 * A log with some of its lines changed, in the place of the log.
 *
 * The one thing that is not append-only. What cannot be read stays byte for
 * byte, because nobody can say what it is, unless it was kept elsewhere.
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

/** What becomes of an entry: it stays, goes, or is this line, with its newline. */
export type Rewritten = "keep" | "drop" | Buffer;

/** Only under the lock, and with `end` at the end of a complete append: whoever reads has the one log or the other. */
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

/** Lines that stay are copied in long stretches. */
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
  // A part of an append would read as one that was torn.
  return result === "keep" && line.batch !== undefined ? withoutBatch(bareLine(raw) as Buffer) : result;
}
