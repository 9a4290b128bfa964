/**
 * The input layer: how bytes come out of folders, files, archives and
 * databases and become records.
 *
 * It opens everything for reading only, holds a bounded part of it in memory,
 * and knows no format. What is wrong with one file never ends the walk: it is
 * a problem with a path and a reason. What goes wrong while a file is read is
 * thrown as a `ColloquyError` that `problemOf` knows.
 *
 * `walk.ts` finds the files, `lines.ts` reads lines, `records.ts` the values
 * of a line, `long-strings.ts` those of a long one, `elements.ts` arrays,
 * `sniff.ts` looks at how a file begins, `database.ts` opens SQLite files.
 */
import type { Json, JsonObject } from "../../util/json.ts";
import type { SourceDatabase, Surroundings } from "../contract/reader.ts";

/** A file to read: in a folder, or a member of a zip. */
export interface SourceFile {
  /** As the report names it; of a member: `path/to.zip!member/name`. */
  readonly path: string;
  /** The argument under which it was found. */
  readonly root: string;
  /** Its name below `root`, with `/`; of a root that is a file: its own name. */
  readonly relative: string;
  /** In bytes. Of a compressed file: as it lies there; of a member: unpacked. */
  readonly size: number;
  /** Epoch milliseconds. */
  readonly modifiedMs: number;
  /** The same file under another name has the same: device and inode, of a member with its name. */
  readonly identity: string;
  /** The path of the zip that it is in. */
  readonly archive: string | undefined;
  /** Fails with a problem when it is gone, or became something that is no file. */
  open(): Promise<ByteSource>;
  /** The files beside it. */
  readonly around: Surroundings;
}

/** The uncompressed bytes of a file that is open. */
export interface ByteSource {
  /**
   * The bytes from `fromOffset` on, counted uncompressed. Each call starts
   * anew. A plain file is not read before `fromOffset`; a compressed one is.
   * What the file grows by after it was opened is not read. All that can be
   * read is given before a problem is thrown. A chunk is good until the next
   * one is asked for: then its memory may hold that.
   */
  chunks(fromOffset?: number): AsyncIterable<Buffer>;
  close(): Promise<void>;
}

export interface WalkOptions {
  /** Something that is left out, and why. */
  onProblem(path: string, reason: string): void;
  readonly signal?: AbortSignal | undefined;
}

/**
 * `pending`: the last line, which has no newline yet. What stands there may be
 * a complete value all the same.
 */
export type LineState = "ok" | "blank" | "too-long" | "pending";

/**
 * What is wrong with the bytes of a line. `invalid-utf8`: `text` has U+FFFD in
 * the place of what cannot be decoded. `nul-padded`: `text` is without the NUL
 * bytes around it, as a power cut leaves them; it may be empty.
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
  /** The bytes behind `text`, of a flawed line, and of a long one: that has no `text` (see `cutLongStrings`). */
  readonly raw: Buffer | undefined;
  readonly flaw: LineFlaw | undefined;
}

export interface LinesOptions {
  /** Where to go on: the beginning of a line, and its number. */
  readonly from?: { readonly offset: number; readonly line: number } | undefined;
  /** Longer lines are counted and passed over, not held. Default 64 MiB. */
  readonly lineBytesMax?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The values of one line: usually one. */
export interface ParsedRecords {
  readonly values: readonly { readonly value: Json; readonly text: string }[];
  /** What is no value. */
  readonly rest?: { readonly text: string; readonly reason: string };
}

/** A JSON string that was taken out of a line; `token` stands in its place as a string of its own. */
export interface StringCut {
  readonly token: string;
  /** The string in UTF-8, without escapes. A view of the line where there were none. */
  readonly bytes: Buffer;
}

/** One element of the array that a file is, or the object that it is. */
export interface SourceElement {
  readonly value: Json;
  readonly offset: number;
  /** Left out of elements above 16 MiB. */
  readonly text?: string;
}

/** A part of the file that could not be used; the elements behind it come all the same when they can be found. */
export interface ElementProblem {
  readonly problem: string;
  readonly offset: number;
  readonly bytes: number;
  /** What stands there, when it is at most 1 MiB. */
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
  /** Nothing but this one value is in the file. */
  readonly isAlone: boolean;
}

export interface OpenSourceDatabase extends SourceDatabase {
  /** What is to be said about how it was opened, such as that a copy is read. */
  readonly note?: string;
  close(): void;
}
