/**
 * The input layer: turns the bytes of folders, files, archives and databases
 * into records.
 *
 * It opens everything read-only, holds a limited part of it in memory, and
 * knows no formats. A problem with one file never ends the walk: it has a path
 * and a reason. A problem while a file is read is thrown as a `ColloquyError`
 * that `problemOf` recognizes.
 *
 * `walk.ts` finds the files, `lines.ts` reads lines, `records.ts` the values
 * of a line, `long-strings.ts` those of a long one, `elements.ts` arrays,
 * `sniff.ts` looks at how a file begins, `database.ts` opens SQLite files.
 */
import type { Json, JsonObject } from "../../util/json.ts";
import type { SourceDatabase, Surroundings } from "../contract/reader.ts";

/** A file to read: in a folder, or a member of a zip. */
export interface SourceFile {
  /** As the report names it. For a member: `path/to.zip!member/name`; for a second one: `…!#2/member/name`. */
  readonly path: string;
  /** The argument under which it was found. */
  readonly root: string;
  /** Its name below `root`, with `/`; of a root that is a file: its own name. */
  readonly relative: string;
  /** In bytes: of a compressed file packed, of a member unpacked. */
  readonly size: number;
  /** Epoch milliseconds. */
  readonly modifiedMs: number;
  /** Device and inode, with the name of a member. The same for every name of a file. */
  readonly identity: string;
  /** The path of the zip that it is in. */
  readonly archive: string | undefined;
  /** Fails with a problem when it is gone or no longer a file. */
  open(): Promise<ByteSource>;
  /** The files beside it. */
  readonly around: Surroundings;
}

/** The uncompressed bytes of a file that is open. */
export interface ByteSource {
  /**
   * The uncompressed bytes from `fromOffset` on. Calls are independent. A plain
   * file is not read before `fromOffset`; a compressed one is. Bytes appended
   * after the file was opened are not read. Everything readable is returned
   * before a problem is thrown. A chunk is valid until the next one is
   * requested, which may reuse its memory.
   */
  chunks(fromOffset?: number): AsyncIterable<Buffer>;
  /** Whether a plain file was written to since it was opened, or since the last call. */
  wasWritten?(): boolean;
  close(): Promise<void>;
}

export interface WalkOptions {
  /** Called for every path that is left out. */
  onProblem(path: string, reason: string): void;
  /** Called for every file and folder of a store that this process has open. They are left out. */
  onOpenStore?(path: string): void;
  readonly signal?: AbortSignal | undefined;
}

/**
 * `pending`: the last line, which has no newline yet. It may still be a complete
 * value.
 */
export type LineState = "ok" | "blank" | "too-long" | "pending";

/**
 * A flaw in the bytes of a line. `invalid-utf8`: `text` has U+FFFD for bytes
 * that cannot be decoded. `nul-padded`: `text` is without the NUL bytes around
 * it, as a power cut leaves them; it may be empty.
 */
export type LineFlaw = "invalid-utf8" | "nul-padded";

export interface SourceLine {
  /** Counted from 1. */
  readonly line: number;
  /** Where it begins, in uncompressed bytes. */
  readonly offset: number;
  /** With its newline: the next line begins at `offset + bytes`. */
  readonly bytes: number;
  readonly state: LineState;
  /** Without byte order mark and line end. Missing when blank, too long, or longer than `LONG_LINE_BYTES`. */
  readonly text: string | undefined;
  /** The bytes of a flawed line, and of a long one, which has no `text` (see `cutLongStrings`). */
  readonly raw: Buffer | undefined;
  readonly flaw: LineFlaw | undefined;
}

/** The bytes of a source that were read, for one that is kept anyway. */
export type Recorded = (start: number, bytes: number) => Buffer;

export interface LinesOptions {
  /** Where to continue: the start of a line, and its number. */
  readonly from?: { readonly offset: number; readonly line: number } | undefined;
  /** Longer lines are counted but not held. Default 64 MiB. */
  readonly lineBytesMax?: number | undefined;
  /**
   * A line that was read in several chunks is then a view, valid until the next batch. Default: such a line has memory
   * of its own.
   */
  readonly recorded?: Recorded | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface ParsedValue {
  readonly value: Json;
  readonly text: string;
  /** Where it begins in the text. */
  readonly start: number;
}

/** The values of one line: usually one. */
export interface ParsedRecords {
  readonly values: readonly ParsedValue[];
  /** Text that is not a value. */
  readonly rest?: { readonly text: string; readonly reason: string };
}

/** A JSON string that was cut from a line; the string `token` replaces it. */
export interface StringCut {
  readonly token: string;
  /** The string in UTF-8, unescaped, to be read once. A view of the line if it had no escapes. */
  readonly pieces: Iterable<Buffer>;
}

/** One element of the array that a file is, or the object that it is. */
export interface SourceElement {
  readonly value: Json;
  readonly offset: number;
  readonly bytes: number;
  /** Left out of elements above 16 MiB. */
  readonly text?: string;
}

/** An unusable part of the file. Elements after it are still returned, if they can be found. */
export interface ElementProblem {
  readonly problem: string;
  readonly offset: number;
  readonly bytes: number;
  /** The text, if it is at most 1 MiB. */
  readonly text?: string;
}

/**
 * `lines`: one value a line. A single object on a single line is that, too,
 * because a file of lines begins so: then `isAlone` is set, and it may as well
 * be a document. `object`: one object over several lines. `array`: see
 * `readElements` for both.
 */
export type HeadKind = "sqlite" | "lines" | "array" | "object" | "other" | "empty";

export interface Head {
  readonly kind: HeadKind;
  /** The first objects, at most 20; of an array its first element, of an object itself. */
  readonly records: readonly JsonObject[];
  /** The file holds this one value only. */
  readonly isAlone: boolean;
}

export interface OpenSourceDatabase extends SourceDatabase {
  /** How it was opened, if that is unusual, such as that a copy is read. */
  readonly note?: string;
  /** What was left out of the rows that were read so far: those that are too large or damaged. */
  readonly leftOut: readonly string[];
  /** Damage was met: anything that was read since may lack rows. */
  readonly isDamaged: boolean;
  close(): void;
}
