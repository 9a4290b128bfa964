/** Where the index of an agent stands, and how its bytes are read and written. */
import { join, resolve } from "node:path";
import { type FileIo, type FileStat, systemIo } from "../../disk/file-io.ts";
import { freeName, replaceFile } from "../../disk/replace-file.ts";
import { asColloquyError, invalid, unavailable } from "../../errors.ts";
import { type Clock, systemClock, timestamp17 } from "../../util/time.ts";
import { type Random, systemRandom } from "../../util/uuid.ts";

/** An index that is larger is no index that anybody can work with. */
const INDEX_BYTES_MAX = 512 * 1024 * 1024;

export interface FileOptions {
  readonly io?: FileIo | undefined;
  readonly clock?: Clock | undefined;
  readonly random?: Random | undefined;
}

/** The files of one index, with the means to get at them. */
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
    throw invalid("agentDir is the folder of an agent", "agentDir");
  }
  const folder = join(resolve(agentDir), "sessions");
  const { io = systemIo, clock = systemClock, random = systemRandom } = options;
  // Other programs have a lock of another kind under the plain name.
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
 * With `into`, those bytes are used if they are enough: for large files,
 * getting new memory takes longer than reading.
 */
export function readIndex({ io, path }: IndexFiles, into?: (size: number) => Buffer): IndexBytes | undefined {
  let file: number | undefined;
  try {
    file = io.open(path, "read");
    const stat = io.statOpen(file);
    if (stat.size > INDEX_BYTES_MAX) throw unavailable(`${path} is too large to be read: ${stat.size} bytes`);
    const bytes = into === undefined ? Buffer.allocUnsafe(stat.size) : into(stat.size);
    return { bytes: readInto(io, file, bytes), stat };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw asColloquyError(error, `Cannot read ${path}`);
  } finally {
    if (file !== undefined) io.close(file);
  }
}

/** As much as there is; less when the file became shorter meanwhile. */
function readInto(io: FileIo, file: number, bytes: Buffer): Buffer {
  let length = 0;
  while (length < bytes.length) {
    const count = io.read(file, bytes.subarray(length), length);
    if (count === 0) break;
    length += count;
  }
  return bytes.subarray(0, length);
}

/** Put new content in the place of the index; a damaged one is kept beside it. */
export function writeIndex(files: IndexFiles, content: Iterable<Buffer>, setAside: boolean): void {
  const { io, path, random } = files;
  const formerAs = setAside ? freeName(io, `${path}.damaged-${timestamp17(files.clock())}`) : undefined;
  try {
    replaceFile(path, content, { io, random, ...(formerAs === undefined ? {} : { formerAs }) });
  } catch (error) {
    throw asColloquyError(error, `Cannot write ${path}`);
  }
}

const LEFTOVER = /^\.colloquy-[0-9a-f]+-sessions\.json\.tmp$/;

/** What killed writers left. Only under the lock. */
export function removeIndexLeftovers({ io, folder }: IndexFiles): void {
  for (const name of io.list(folder)) if (LEFTOVER.test(name)) io.remove(join(folder, name));
}
