/** Bytes at the end of a log that a crash left of an append. */
import { dirname } from "node:path";
import { copyRange } from "../disk/copy-file.ts";
import type { FileIo } from "../disk/file-io.ts";
import { endOfLastLine, LINE_BYTES_MAX, readChunk } from "../disk/line-scan.ts";
import { freeName } from "../disk/replace-file.ts";
import { timestamp17 } from "../util/time.ts";
import { decodeLine } from "./lines.ts";
import type { BadLine } from "./log-state.ts";

/** Whether the last line is complete except for its newline. */
export function lacksOnlyNewline(io: FileIo, file: number, size: number): boolean {
  const start = endOfLastLine(io, file, size);
  if (start === size || size - start > LINE_BYTES_MAX) return false;
  return decodeLine(readChunk(io, file, start, size - start)).ok;
}

/** Move everything from `start` on to a durable file beside the log. The caller syncs the log. */
export function setTailAside(io: FileIo, file: number, path: string, start: number, nowMs: number): BadLine {
  const { size } = io.statOpen(file);
  const aside = freeName(io, `${path}.torn-${timestamp17(nowMs)}`);
  copyRange(io, file, start, size, aside);
  io.syncFolder(dirname(aside));
  io.truncate(file, start);
  return { start, end: size, reason: `torn by a crash, set aside as ${aside}` };
}
