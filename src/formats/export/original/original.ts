/** The sources of an imported conversation, as they were read. */
import { ColloquyError } from "../../../errors.ts";
import type { OriginalForm, Segment } from "../../../store/originals/announcement.ts";
import { type Original, segmentsOf } from "../../../store/originals/originals.ts";
import type { Store } from "../../../store/store.ts";
import type { Ingest } from "../../../store/write/ingest.ts";
import { checkMethod, checkString } from "../../../util/checked-arguments.ts";
import { FORMATS } from "../../readers/index.ts";

/** One source of a conversation. */
export interface OriginalSource {
  /** As `provenance.original` of its entries says. */
  readonly number: number;
  /** Relative to the folder that was imported. */
  readonly file: string;
  readonly form: OriginalForm;
  /** The file was rewritten after this was read: another source has its newer form. */
  readonly isFormer: boolean;
  /** The conversation is one of several in a document, and this is its element. */
  readonly isElement: boolean;
  /** No message comes from it: it describes the conversation, or a message refers to it. */
  readonly isBeside: boolean;
  /** The bytes, in order. Those that cannot be read are left out. */
  bytes(): AsyncGenerator<Buffer, Fidelity, undefined>;
}

/** How true the bytes are. */
export interface Fidelity {
  readonly bytes: number;
  /** They are those of the source, from its first byte to its last. */
  readonly isExact: boolean;
  /** What they lack, in words. */
  readonly notes: readonly string[];
}

/**
 * `NOT_FOUND` if there is no such conversation, or nothing of it was imported. Files of lines also get those that the
 * conversations `beside` have of them, by their ids.
 */
export async function originalSources(
  store: Store,
  idOrKey: string,
  beside: readonly string[] = [],
): Promise<OriginalSource[]> {
  checkMethod(store, "ingest", "store");
  checkString(idOrKey, "idOrKey");
  const conversation = await store.get(idOrKey);
  if (conversation === undefined) {
    throw new ColloquyError("NOT_FOUND", `There is no conversation ${idOrKey}`);
  }
  const ingest = store.ingest();
  const all = await ingest.originals(conversation.id);
  if (all.length === 0) {
    throw new ColloquyError("NOT_FOUND", `Conversation ${idOrKey} was not imported: it has no original`);
  }
  const others = await Promise.all(beside.map((id) => ingest.originals(id)));
  return all.map((original) => {
    const { file, form, size, number } = original;
    const isFormer = isReplaced(original, all);
    const isElement = form === "document" && size === undefined;
    const bytes = () => bytesOf(ingest, original, all, form === "lines" ? segmentsIn(file, others) : []);
    return { number, file, form, isFormer, isElement, isBeside: isCompanion(original), bytes };
  });
}

function isReplaced({ file, form, number }: Original, all: readonly Original[]): boolean {
  return all.some((other) => other.file === file && other.form === form && other.number > number);
}

/** What other conversations have of a file. */
function segmentsIn(file: string, others: readonly (readonly Original[])[]): (Segment | undefined)[] {
  return others.flatMap((all) =>
    all
      .filter((one) => one.file === file && one.form === "lines" && !isReplaced(one, all))
      .flatMap((one) => segmentsOf(one, all)),
  );
}

/** Files that are read only together with another one. */
function isCompanion({ file, form }: Original): boolean {
  return form === "document" && FORMATS.some(({ companions }) => companions?.test(`/${file}`) === true);
}

const NEWLINE = Buffer.from("\n");

/** A segment at one place of the source. */
interface Place {
  readonly start: number;
  readonly bytes: number;
  readonly from: number;
  readonly segment: Segment;
}

async function* bytesOf(
  ingest: Ingest,
  original: Original,
  all: readonly Original[],
  beside: readonly (Segment | undefined)[],
): AsyncGenerator<Buffer, Fidelity, undefined> {
  const notes = new Set<string>();
  const segments = [...segmentsOf(original, all), ...beside];
  if (segments.includes(undefined))
    notes.add("a part of it is damaged and could not be found: import the source again");
  const places = segments.flatMap((segment) => (segment === undefined ? [] : placesOf(segment)));
  if (original.form === "lines") places.sort((a, b) => a.start - b.start);
  let end = 0;
  let written = 0;
  let isLost = segments.includes(undefined);
  let isLineOpen = false;
  let read: { readonly segment: Segment; readonly bytes: Buffer | string } | undefined;
  const others = new Set(beside);
  for (const { start, bytes: length, from, segment } of places) {
    if (start < end && others.has(segment)) continue;
    if (original.form === "lines" && start > end) notes.add(unseen(end, start));
    if (original.form !== "rows" && start < end) notes.add(`bytes from ${start} on are there more than once`);
    if (read?.segment !== segment) read = { segment, bytes: await ingest.segmentBytes(segment) };
    if (segment.redactedAt !== undefined) notes.add("words in it were erased, and are spaces now");
    // The end of a row is lost: the next one still begins a line.
    if (isLost && isLineOpen && original.form === "rows" && !segment.continues) {
      isLineOpen = false;
      yield NEWLINE;
    }
    if (typeof read.bytes === "string") {
      isLost = true;
      notes.add(`bytes ${start} to ${start + length} are ${read.bytes}: import the source again`);
    } else {
      written += length;
      yield read.bytes.subarray(from, from + length);
      isLineOpen = read.bytes[from + length - 1] !== NEWLINE[0];
    }
    end = Math.max(end, start + length);
  }
  if (isLost) await ingest.forgetImports();
  for (const note of endNotes(original, end)) notes.add(note);
  const isExact = notes.size === 0 && original.form !== "rows";
  return { bytes: written, isExact, notes: [...notes] };
}

function placesOf(segment: Segment): Place[] {
  let from = 0;
  return segment.at.map(([start, bytes]) => {
    const place = { start, bytes, from, segment };
    from += bytes;
    return place;
  });
}

function unseen(from: number, to: number): string {
  return `bytes ${from} to ${to} belong to other conversations, or were never read`;
}

export const ROWS_NOTE = "the source is a database: these are its rows, one a line";

function* endNotes({ form, size }: Original, end: number): Generator<string> {
  if (form === "rows") yield ROWS_NOTE;
  else if (form === "document" && size === undefined)
    yield "the source holds more: this is one element of it";
  else if (size === undefined) yield "the end of the source was not read";
  else if (size > end) yield unseen(end, size);
  else if (size < end) yield `the source ended at byte ${size}`;
}
