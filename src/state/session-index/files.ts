/** Where the index of an agent is, and how its bytes are read and written. */
import { join, resolve } from "node:path";
import { type FileIo, type FileStat, systemIo } from "../../disk/file-io.ts";
import { readInto } from "../../disk/line-scan.ts";
import { freeName, replaceFile } from "../../disk/replace-file.ts";
import { withExistingFile } from "../../disk/with-file.ts";
import { asColloquyError, invalid, unavailable } from "../../errors.ts";
import { type Clock, systemClock, timestamp17 } from "../../util/time.ts";
import { type Random, systemRandom } from "../../util/uuid.ts";

const INDEX_BYTES_MAX = 512 * 1024 * 1024;

export interface FileOptions {
  readonly io?: FileIo | undefined;
  readonly clock?: Clock | undefined;
  readonly random?: Random | undefined;
}

/** The files of one index, and how to access them. */
export interface IndexFiles {
  readonly folder: string;
  readonly path: string;
  readonly lockPath: string;
  readonly io: FileIo;
  readonly clock: Clock;
  readonly random: Random;
}

export function filesOf(agentDir: string, options: FileOptions): IndexFiles {
  if (typeof agentDir !== "string" || agentDir === "") {
    throw invalid("agentDir must be the folder of an agent", "agentDir");
  }
  const folder = join(resolve(agentDir), "sessions");
  const { io = systemIo, clock = systemClock, random = systemRandom } = options;
  // Other programs use a different kind of lock under the plain name.
  const lockPath = join(folder, ".colloquy-sessions.lock");
  return { folder, path: join(folder, "sessions.json"), lockPath, io, clock, random };
}

export interface IndexBytes {
  readonly bytes: Buffer;
  readonly stat: FileStat;
}

/**
 * `undefined` when there is no index.
 *
 * `into` provides the memory: for large files, allocating takes longer than
 * reading.
 */
export function readIndex({ io, path }: IndexFiles, into?: (size: number) => Buffer): IndexBytes | undefined {
  try {
    return withExistingFile(io, path, (file) => {
      const stat = io.statOpen(file);
      if (stat.size > INDEX_BYTES_MAX) {
        throw unavailable(`${path} is too large: ${stat.size} bytes, and the limit is ${INDEX_BYTES_MAX}`);
      }
      const bytes = into === undefined ? Buffer.allocUnsafe(stat.size) : into(stat.size);
      return { bytes: readInto(io, file, 0, bytes), stat };
    });
  } catch (error) {
    throw asColloquyError(error, `Cannot read ${path}`);
  }
}

/** Replace the index. A damaged one is kept beside it. */
export function writeIndex(files: IndexFiles, content: Iterable<Buffer>, setAside: boolean): void {
  const { io, path, random } = files;
  const formerAs = setAside ? freeName(io, `${path}.damaged-${timestamp17(files.clock())}`) : undefined;
  try {
    replaceFile(path, content, { io, random, ...(formerAs === undefined ? {} : { formerAs }) });
  } catch (error) {
    throw asColloquyError(error, `Cannot write ${path}`);
  }
}
