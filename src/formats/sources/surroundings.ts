/** The files beside the one being read, and none outside the folder that the user named, unless a reader asks. */
import { realpathSync, statSync } from "node:fs";
import { readdir, realpath } from "node:fs/promises";
import { dirname, join, posix, sep } from "node:path";
import type { SourceRecord, Surroundings } from "../contract/reader.ts";
import { openBytes } from "./byte-source.ts";
import { openFile, wholeFile } from "./file-bytes.ts";
import { parseRecords } from "./json/records.ts";
import { readLines } from "./lines.ts";
import { problemOf } from "./problem.ts";
import type { ByteSource } from "./types.ts";
import { openMember, readMember, type Zip, type ZipMember } from "./zip.ts";

/** Enough for a picture or a long tool result. */
const READ_BYTES_MAX = 64 * 1024 * 1024;

/** Of a file in a folder. Only files below one of `bases`, which are real paths, may be read. */
export function inFolder(path: string, modifiedMs: number, ...bases: readonly string[]): Surroundings {
  const folder = dirname(path);
  const within = (name: string): Promise<string | undefined> => realBelow(bases, join(folder, name));
  return {
    path,
    modifiedMs,
    async read(name, bytesMax = READ_BYTES_MAX) {
      const real = await within(name);
      return real === undefined ? undefined : readWhole(real, bytesMax);
    },
    async list(name) {
      const real = await within(name);
      return real === undefined ? [] : (await readdir(real).catch(() => [])).sort();
    },
    async *records(name) {
      const real = await within(name);
      if (real !== undefined) yield* recordsOf(() => openBytes(real));
    },
    stamp: (name) => stampOf(join(folder, name)),
    beyond: (other) => inFolder(path, modifiedMs, ...bases, ...realOf(join(folder, other))),
    pathOf: (name) => join(folder, name),
  };
}

/** Synchronous, because that is many times as fast, and each of a thousand forks asks for many files. */
function stampOf(path: string): string {
  try {
    const { ino, size, mtimeNs, ctimeNs } = statSync(path, { bigint: true });
    return `${ino} ${size} ${mtimeNs} ${ctimeNs}`;
  } catch {
    return "";
  }
}

async function* recordsOf(open: () => Promise<ByteSource>): AsyncGenerator<SourceRecord> {
  try {
    const source = await open();
    try {
      for await (const batch of readLines(source)) {
        for (const { line, offset, text, raw } of batch) {
          const { values } = parseRecords(text ?? raw?.toString() ?? "");
          for (const { value, text: own } of values) yield { value, line, offset, text: own };
        }
      }
    } finally {
      await source.close();
    }
  } catch (error) {
    if (problemOf(error) === undefined) throw error;
  }
}

function realOf(path: string): string[] {
  try {
    return [realpathSync(path)];
  } catch {
    return [];
  }
}

/** By real path, so that no link leads outside. */
async function realBelow(bases: readonly string[], path: string): Promise<string | undefined> {
  if (path.includes("\0")) return undefined;
  const real = await realpath(path).catch(() => undefined);
  return real !== undefined && bases.some((base) => isWithin(real, base)) ? real : undefined;
}

/** Whether a path is a folder or below it. Both are real paths. */
export function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

async function readWhole(path: string, bytesMax: number): Promise<Buffer | undefined> {
  try {
    using file = await openFile(path);
    return file.size > bytesMax ? undefined : wholeFile(file, path);
  } catch {
    return undefined;
  }
}

/** Of a member of a zip, whose names never lead outside. `shown` is its name in paths. */
export function inZip(zip: Zip, member: ZipMember, shown: string): Surroundings {
  const folder = posix.dirname(member.name);
  const around: Surroundings = {
    path: `${zip.path}!${shown}`,
    modifiedMs: member.modifiedMs,
    async read(name, bytesMax = READ_BYTES_MAX) {
      const found = zip.named.get(posix.join(folder, name));
      if (found === undefined || found.size > bytesMax) return undefined;
      return readMember(zip, found).catch(() => undefined);
    },
    async list(name) {
      const wanted = posix.join(folder, name, "/");
      const prefix = wanted === "./" ? "" : wanted;
      return [...namesBelow(zip, prefix)].sort();
    },
    async *records(name) {
      const found = zip.named.get(posix.join(folder, name));
      if (found !== undefined) yield* recordsOf(() => openMember(zip, found));
    },
    // An archive that changes while it is read is damaged.
    stamp: () => "",
    beyond: () => around,
    pathOf: (name) => `${zip.path}!${posix.join(folder, name)}`,
  };
  return around;
}

/** The members are sorted, so those below a folder follow one another: only they are looked at. */
function namesBelow({ members }: Zip, prefix: string): Set<string> {
  let [low, high] = [0, members.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((members[middle] as ZipMember).name < prefix) low = middle + 1;
    else high = middle;
  }
  const names = new Set<string>();
  for (let at = low; members[at]?.name.startsWith(prefix) === true; at++) {
    names.add((members[at] as ZipMember).name.slice(prefix.length).split("/", 1)[0] as string);
  }
  return names;
}
