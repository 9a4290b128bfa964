/**
 * Reads zips, any of which may be hostile: their claims about members are checked
 * before members are opened, and again while they are read.
 */
import { isUtf8 } from "node:buffer";
import { readSync } from "node:fs";
import { crc32 } from "node:zlib";
import type { Entry } from "yauzl";
import { firstBytes, MAGIC_BYTES, skipped, unpacked } from "./byte-source.ts";
import { fileChunks, type OpenFile, openFile } from "./file-bytes.ts";
import { type Bytes, type Encoding, inflate, isBomb } from "./inflate.ts";
import { fileProblem, problem } from "./problem.ts";
import type { ByteSource } from "./types.ts";

const TOTAL_BYTES_MAX = 64 * 1024 ** 3;
const MEMBERS_MAX = 1_000_000;
const TOO_LARGE = "unpacks to a suspiciously large size";
const TOO_MANY = "exceeds the maximum number of members";
/** Enough to unpack the first bytes from. */
const HEAD_PACKED_BYTES = 4096;
const LOCAL_HEADER_BYTES = 30;
const LOCAL_HEADER_SIGN = 0x04034b50;

/** Supported compression methods by number. */
const METHODS: Readonly<Record<number, Encoding | "stored">> = { 0: "stored", 8: "deflate", 93: "zstd" };

export interface ZipMember {
  readonly name: string;
  readonly size: number;
  readonly packedSize: number;
  readonly method: Encoding | "stored";
  readonly crc: number;
  readonly headerOffset: number;
  readonly modifiedMs: number;
}

export interface Zip {
  readonly path: string;
  readonly identity: string;
  readonly size: number;
  readonly modifiedMs: number;
  /** Sorted by name. */
  readonly members: readonly ZipMember[];
  /** Of several members with one name, the first. */
  readonly named: ReadonlyMap<string, ZipMember>;
}

/** By its first bytes: those of a member, or of the end of an empty zip. */
export function isZip(head: Buffer): boolean {
  const sign = head.subarray(0, 4).toString("latin1");
  return sign === "PK\x03\x04" || sign === "PK\x05\x06";
}

type OnProblem = (member: string | undefined, reason: string) => void;

/** The readable members. `onProblem` learns why others are not. */
export async function listZip(path: string, file: OpenFile, onProblem: OnProblem): Promise<Zip> {
  const listed: ZipMember[] = [];
  try {
    for await (const entry of entriesOf(file)) {
      const name = nameOf(entry);
      if (name.endsWith("/")) continue;
      const refused = refusal(entry, name) ?? (listed.length >= MEMBERS_MAX ? TOO_MANY : undefined);
      if (refused !== undefined) onProblem(name, refused);
      else listed.push(memberOf(entry, name));
    }
  } catch (error) {
    onProblem(undefined, `is not a complete zip: ${(error as Error).message}`);
  }
  const members = withinTotal(withoutOverlaps(listed, onProblem), file.size, onProblem);
  members.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : a.headerOffset - b.headerOffset));
  const named = new Map(members.toReversed().map((member) => [member.name, member]));
  return { path, identity: file.identity, size: file.size, modifiedMs: file.modifiedMs, members, named };
}

/**
 * Members that share bytes make a small zip as large as its author likes. Of those that do, the ones that end first
 * are kept, so that a single member with a wrong length costs no other.
 */
function withoutOverlaps(members: readonly ZipMember[], onProblem: OnProblem): ZipMember[] {
  const apart: ZipMember[] = [];
  let end = 0;
  for (const member of members.toSorted((a, b) => endOf(a) - endOf(b) || b.headerOffset - a.headerOffset)) {
    if (member.headerOffset < end) onProblem(member.name, "shares bytes with another member");
    else {
      apart.push(member);
      end = endOf(member);
    }
  }
  return apart;
}

/** At least: the header also repeats the name. */
function endOf({ headerOffset, packedSize }: ZipMember): number {
  return headerOffset + LOCAL_HEADER_BYTES + packedSize;
}

function withinTotal(members: readonly ZipMember[], packed: number, onProblem: OnProblem): ZipMember[] {
  let total = 0;
  return members.filter(({ name, size }) => {
    const isOver = total + size > TOTAL_BYTES_MAX;
    if (!isOver && !isBomb(packed, total + size)) {
      total += size;
      return true;
    }
    onProblem(name, isOver ? "is beyond the first 64 GiB of the zip" : TOO_LARGE);
    return false;
  });
}

async function* entriesOf(file: OpenFile): AsyncGenerator<Entry> {
  const { fromFdPromise } = await import("yauzl");
  // Names are left undecoded, because a bad one would otherwise end the list.
  const options = { autoClose: false, decodeStrings: false, validateEntrySizes: false };
  const zip = await fromFdPromise(file.fd, options);
  yield* zip.eachEntry();
}

/** UTF-8 where it is that, whatever the flag says; the old encoding of zips agrees with ASCII only. */
function nameOf(entry: Entry): string {
  return entry.fileNameRaw.toString(isUtf8(entry.fileNameRaw) ? "utf8" : "latin1");
}

function refusal(entry: Entry, name: string): string | undefined {
  if (isUnsafe(name)) return "has a name that leads outside the zip";
  if (entry.isEncrypted()) return "is encrypted";
  if (((entry.externalFileAttributes >>> 16) & 0o170000) === 0o120000) return "is a symbolic link";
  if (METHODS[entry.compressionMethod] === undefined) {
    return `uses the unknown compression method ${entry.compressionMethod}`;
  }
  return isBomb(entry.compressedSize, entry.uncompressedSize) ? TOO_LARGE : undefined;
}

function isUnsafe(name: string): boolean {
  if (name === "" || name.startsWith("/") || /^[a-z]:/i.test(name)) return true;
  return name.includes("\\") || name.includes("\0") || name.split("/").includes("..");
}

function memberOf(entry: Entry, name: string): ZipMember {
  const modifiedMs = entry.getLastModDate({ timezone: "UTC" }).getTime();
  return {
    name,
    size: entry.uncompressedSize,
    packedSize: entry.compressedSize,
    method: METHODS[entry.compressionMethod] ?? "stored",
    crc: entry.crc32,
    headerOffset: entry.relativeOffsetOfLocalHeader,
    modifiedMs: Number.isFinite(modifiedMs) ? modifiedMs : 0,
  };
}

/** Open a member for reading. */
export async function openMember(zip: Zip, member: ZipMember): Promise<ByteSource> {
  const file = await reopen(zip);
  const shown = `${zip.path}!${member.name}`;
  try {
    const from = (offset: number): Bytes => skipped(memberBytes(file, member, shown), offset);
    const head = await memberHead(file, member, shown);
    return unpacked(from, head, shown, async () => file.close(), member.packedSize);
  } catch (error) {
    file.close();
    throw fileProblem(error, shown);
  }
}

/** All bytes of a member, without unpacking a compressed file in it. */
export async function readMember(zip: Zip, member: ZipMember): Promise<Buffer> {
  using file = await reopen(zip);
  return await firstBytes(memberBytes(file, member, member.name), member.size);
}

/** Fails when the zip is not the one that was listed. */
async function reopen(zip: Zip): Promise<OpenFile> {
  const file = await openFile(zip.path);
  if (file.identity === zip.identity && file.size === zip.size && file.modifiedMs === zip.modifiedMs) {
    return file;
  }
  file.close();
  throw problem("changed", `${zip.path} changed while it was read`);
}

/** The first bytes of a member. Reads little, because it is called for every member. */
export async function memberHead(file: OpenFile, member: ZipMember, shown: string): Promise<Buffer> {
  const start = await dataStart(file, member, shown);
  const end = start + Math.min(member.packedSize, HEAD_PACKED_BYTES);
  return firstBytes(unpackedBytes(file, member, start, end, shown), MAGIC_BYTES);
}

async function* memberBytes(file: OpenFile, member: ZipMember, shown: string): AsyncGenerator<Buffer> {
  const start = await dataStart(file, member, shown);
  yield* checked(unpackedBytes(file, member, start, start + member.packedSize, shown), member, shown);
}

function unpackedBytes(file: OpenFile, member: ZipMember, start: number, end: number, shown: string): Bytes {
  const packed = fileChunks(file.fd, shown, start, end);
  return member.method === "stored" ? packed : inflate(packed, member.method, shown);
}

/** The header before the data repeats the name and may be longer than the directory says. */
async function dataStart(file: OpenFile, member: ZipMember, shown: string): Promise<number> {
  const header = Buffer.alloc(LOCAL_HEADER_BYTES);
  const bytesRead = readSync(file.fd, header, 0, LOCAL_HEADER_BYTES, member.headerOffset);
  if (bytesRead < LOCAL_HEADER_BYTES || header.readUInt32LE(0) !== LOCAL_HEADER_SIGN) {
    throw problem("damaged", `${shown} is not at the position that the zip claims`);
  }
  const start = member.headerOffset + LOCAL_HEADER_BYTES + header.readUInt16LE(26) + header.readUInt16LE(28);
  if (start + member.packedSize > file.size) throw problem("cut-off", `${shown} is cut off`);
  return start;
}

async function* checked(bytes: Bytes, member: ZipMember, shown: string): AsyncGenerator<Buffer> {
  let size = 0;
  let crc = 0;
  for await (const chunk of bytes) {
    size += chunk.length;
    if (size > member.size) throw problem("damaged", `${shown} is longer than the zip claims`);
    crc = crc32(chunk, crc);
    yield chunk;
  }
  if (size < member.size) throw problem("cut-off", `${shown} is shorter than the zip claims`);
  if (crc !== member.crc) throw problem("damaged", `${shown} is damaged: its checksum does not match`);
}
