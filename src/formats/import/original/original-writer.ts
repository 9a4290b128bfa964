/**
 * Decides which of the bytes that were read of a file are new to its conversation, and announces those.
 *
 * A file that only grew continues its original. One that is read from its beginning is compared with the originals
 * that the store has. If lines of it have changed, the part that differs is another original; a changed document
 * replaces the one before it, whose messages the conversation has.
 */
import type { Announcement, OriginalForm, Segment } from "../../../store/originals/announcement.ts";
import { type Original, type StoredAnnouncement, segmentsOf } from "../../../store/originals/originals.ts";
import { type NewSegment, newSegment } from "../../../store/originals/segments.ts";
import type { Ingest, ReadyEntry } from "../../../store/write/ingest.ts";
import { defined } from "../../../util/json.ts";
import { sha256Hex } from "../../../util/sha256.ts";
import { madeId } from "../../contract/ids.ts";
import type { QueuedOriginal, UncutSegment } from "./collector.ts";
import { KnownRows } from "./known-rows.ts";
import { type Candidate, type Match, Matching } from "./matching.ts";

/** Where an original continues. */
export interface OriginalPlace {
  readonly original: number;
  readonly segments: number;
  /** Of the source, if the store knows that all of it was read. */
  readonly size?: number;
}

export interface OriginalOptions {
  readonly ingest: Ingest;
  readonly conversation: string;
  readonly file: string;
  readonly form: OriginalForm;
  /** A file beside the transcript. Another one may have the same content. */
  readonly isBeside: boolean;
  /** Compare only, and check that what the store has can be read. */
  readonly verify: boolean;
  /** The originals of the conversation. */
  readonly known: readonly Original[];
  /** A number that no original of the conversation has. */
  readonly newNumber: () => number;
  /** Where an earlier import of the file ended, if this one continues it. */
  readonly place: OriginalPlace | undefined;
  /** The store lacks bytes of the file. */
  readonly missing: (offset: number | null, reason: string) => void;
}

/** Segments that are compressed at the same time: each takes memory, and there are few threads. */
const AT_ONCE = 8;

/** The rows of the conversation, and the original that has them. */
interface StoredRows {
  readonly known: KnownRows;
  readonly stored: Candidate | undefined;
}

/** An announcement to append, as of a time. */
export type Announce = (atMs: number) => ReadyEntry;

export class OriginalWriter {
  readonly #options: OriginalOptions;
  readonly #matching: Matching | undefined;
  #rows: Promise<StoredRows> | undefined;
  /** Number of the original, and how many segments it has. */
  #number: number | undefined;
  #count = 0;
  /** The document in the store that the bytes so far are. */
  #same: number | undefined;
  #after: Announcement["after"];
  #size: number | undefined;
  /** It is an original under another name, which it cannot continue. */
  #isCopy = false;
  /** Entries whose announcements were replaced. */
  readonly #stale: string[] = [];
  /** Segments that cannot be read, and their bytes in the file. */
  readonly #unreadable: Map<StoredAnnouncement, Map<number, Buffer>> = new Map();

  constructor(options: OriginalOptions) {
    this.#options = options;
    const { known, form, place, file } = options;
    if (place !== undefined) {
      this.#number = place.original;
      this.#count = place.segments;
      return;
    }
    if (form === "lines") {
      const candidates = known
        .filter((original) => original.form === "lines")
        .map((original): Candidate => ({ original, segments: segmentsOf(original, known) }))
        .sort((a, b) => Number(b.original.file === file) - Number(a.original.file === file));
      this.#matching = new Matching(candidates, (segment) => options.ingest.segmentBytes(segment));
    }
  }

  /** The number of the original that the bytes so far are part of. */
  get number(): number | undefined {
    return this.#number ?? this.#same ?? this.#matching?.candidate?.original.number;
  }

  /** The store had nothing of it before. */
  get isNew(): boolean {
    const { place, known } = this.#options;
    return place === undefined && !known.some(({ number }) => number === this.number);
  }

  /** Whether an original is the file, or what the file was under another name. */
  isFile(original: number): boolean {
    return original === this.number || original === this.#matching?.base?.original.number;
  }

  /** Where a later import of the same file can continue. */
  get place(): OriginalPlace | undefined {
    if (this.#number === undefined || this.#isCopy) return undefined;
    return { original: this.#number, segments: this.#count, ...defined({ size: this.#size }) };
  }

  put(queued: QueuedOriginal): Promise<Announce | undefined> {
    this.#size = queued.size ?? this.#size;
    switch (this.#options.form) {
      case "lines":
        return this.#putLines(queued);
      case "document":
        return this.#putDocument(queued);
      default:
        return this.#putRows(queued);
    }
  }

  /** Everything is written: store what can no longer be read again, and remove what was replaced. */
  async settle(): Promise<void> {
    const { ingest, conversation } = this.#options;
    for (const [announcement, found] of this.#unreadable) {
      await ingest.healSegments(conversation, announcement, found);
    }
    this.#unreadable.clear();
    if (this.#stale.length > 0) await ingest.withdraw(conversation, this.#stale.splice(0));
  }

  /** Nothing more comes. */
  async finish(): Promise<Announce | undefined> {
    const matching = this.#matching;
    if (matching === undefined || this.#number !== undefined || matching.candidate === undefined)
      return undefined;
    if (!(await matching.hasRest())) return this.#diverge(matching);
    const { candidate, base, matched } = matching;
    // The file may be a part of an original.
    if (base === undefined || candidate !== base || base.segments.length !== matched) return undefined;
    const { file, number, size } = base.original;
    this.#isCopy = file !== this.#options.file;
    // There is nothing to tell of it, or not yet: more may come, which is compared then.
    if (this.#isCopy && (size !== undefined || this.#size === undefined)) return undefined;
    this.#number = number;
    this.#count = matched;
    this.#size ??= size;
    return this.#size === size ? undefined : this.#announce([]);
  }

  async #putLines({ segments, size }: QueuedOriginal): Promise<Announce | undefined> {
    const matching = this.#matching;
    if (matching === undefined || this.#number !== undefined || matching.candidate === undefined) {
      const isKnown = segments.length === 0 && size === this.#options.place?.size;
      return isKnown ? undefined : this.#announce(segments, size);
    }
    for await (const match of matching.add(segments)) await this.#check(match);
    return matching.isOpen || matching.isEmpty ? undefined : this.#diverge(matching);
  }

  /** The rest of the file is new. */
  #diverge(matching: Matching): Promise<Announce | undefined> {
    const { base, matched } = matching;
    const isOwn = base?.original.file === this.#options.file && base.segments.length === matched;
    if (isOwn) this.#number = base.original.number;
    else if (base !== undefined) this.#after = { original: base.original.number, segments: matched };
    this.#count = matched;
    return this.#announce(matching.rest(), this.#size);
  }

  /** A segment that cannot be read is stored again. */
  async #check({ candidate, segment, index, bytes }: Match): Promise<void> {
    const { ingest, verify, missing } = this.#options;
    const stored = await ingest.segmentBytes(segment);
    if (typeof stored !== "string") return;
    if (verify)
      return missing(segment.at[0]?.[0] ?? null, `${bytes.length} bytes of the original are ${stored}`);
    const announcement = candidate.original.announcements.find(
      ({ first, segments }) => first <= index && index < first + segments.length,
    );
    // The source still has the words that were erased from the store.
    const isErased = segment.redactedAt !== undefined && sha256Hex(bytes) !== segment.hash;
    if (announcement === undefined || isErased) return;
    const found = this.#unreadable.get(announcement) ?? new Map<number, Buffer>();
    this.#unreadable.set(announcement, found.set(index - announcement.first, Buffer.from(bytes)));
  }

  /** Compared as a whole: a document that was written again replaces the one before it. */
  async #putDocument({ segments, size }: QueuedOriginal): Promise<Announce | undefined> {
    const { known, file, verify, isBeside } = this.#options;
    if (this.#number !== undefined) return this.#announce(segments, size);
    const isDocument = ({ form }: Original): boolean => form === "document";
    const former = known.findLast((original) => isDocument(original) && original.file === file);
    const other = former ?? (isBeside ? undefined : known.findLast(isDocument));
    const kept = other === undefined ? [] : segmentsOf(other, known);
    const start = this.#count;
    const isSame =
      other !== undefined &&
      segments.every(({ bytes }, index) => sha256Hex(bytes) === kept[start + index]?.hash);
    if (isSame) {
      this.#count += segments.length;
      for (const [index, { bytes }] of segments.entries()) {
        const segment = kept[start + index] as Segment;
        await this.#check({
          candidate: { original: other, segments: kept },
          index: start + index,
          segment,
          bytes,
        });
      }
      this.#same = other.number;
      return undefined;
    }
    if (former !== undefined && !verify) {
      this.#number = former.number;
      const replaced = former.announcements.filter(({ first }) => first >= start);
      this.#stale.push(...replaced.map(({ entry }) => entry));
    } else if (former === undefined && other !== undefined && start > 0) {
      // It began as that document, under another name.
      this.#after = { original: other.number, segments: start };
    }
    return this.#announce(segments, size);
  }

  async #putRows({ segments }: QueuedOriginal): Promise<Announce | undefined> {
    this.#rows ??= this.#loadRows();
    const { known, stored } = await this.#rows;
    const fresh: UncutSegment[] = [];
    for (const rows of known.fresh(segments)) {
      const first = known.unreadable(rows);
      if (first === undefined || stored === undefined) fresh.push(...known.place(rows));
      else {
        for (const [index, { bytes }] of rows.entries()) {
          const segment = stored.segments[first + index] as Segment;
          await this.#check({ candidate: stored, index: first + index, segment, bytes });
        }
      }
    }
    return fresh.length === 0 ? undefined : this.#announce(fresh);
  }

  async #loadRows(): Promise<StoredRows> {
    const { known: all, file, ingest } = this.#options;
    const originals = all.filter(({ form }) => form === "rows");
    const original = originals.find((other) => other.file === file) ?? originals[0];
    const known = new KnownRows();
    if (original === undefined) return { known, stored: undefined };
    const segments = segmentsOf(original, all);
    this.#number = original.number;
    this.#count = segments.length;
    await known.load(segments, (segment) => ingest.segmentBytes(segment));
    return { known, stored: { original, segments } };
  }

  async #announce(
    uncut: readonly UncutSegment[],
    size: number | undefined = this.#size,
  ): Promise<Announce | undefined> {
    const { ingest, conversation, file, form, verify, missing } = this.#options;
    this.#number ??= this.#options.newNumber();
    if (verify) {
      for (const { at, bytes } of uncut) {
        missing(at[0]?.[0] ?? null, `${bytes.length} bytes of the original are not in the store`);
      }
      return undefined;
    }
    const made: NewSegment[] = [];
    for (let start = 0; start < uncut.length; start += AT_ONCE) {
      const some = uncut.slice(start, start + AT_ONCE);
      made.push(
        ...(await Promise.all(some.map((segment) => newSegment(segment.bytes, segment.at, segment)))),
      );
    }
    const segments: Segment[] = made.map(({ segment }) => segment);
    const first = this.#count;
    const after = this.#after;
    this.#count += segments.length;
    this.#after = undefined;
    const announcement = { original: this.#number, file, form, first, segments, size, after };
    const hashes = segments.map(({ hash }) => hash);
    const id = madeId("original", conversation, this.#number, first, size ?? "", ...hashes);
    const blobs = made.flatMap(({ blob }) => blob ?? []);
    return (atMs) => ingest.announcement(id, atMs, announcement, blobs);
  }
}
