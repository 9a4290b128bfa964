/** Everything that can be asked of a store without changing it, and the answers. */
import type { StoredEntry } from "../message/types.ts";
import type { JsonObject } from "../util/json.ts";
import type { BlobEncoding, NewJob } from "./operations.ts";

/** What is known of a conversation without reading its messages. */
export interface ConversationInfo {
  readonly id: string;
  readonly key: string | null;
  readonly title: string | null;
  readonly channel: string | null;
  readonly model: string | null;
  readonly profileId: string | null;
  readonly contextState: JsonObject | null;
  /** Message entries on all branches. */
  readonly messageCount: number;
  /** Includes `main`, excludes pruned branches. */
  readonly branchCount: number;
  /** Compactions that were not undone. */
  readonly compactionCount: number;
  /** The last entry of the checked-out branch. */
  readonly head: string | null;
  readonly createdAt: string;
  /** Changes with messages and with metadata. */
  readonly updatedAt: string;
  /** Changes with messages only. */
  readonly lastMessageAt: string | null;
  /** When it was moved to the trash. */
  readonly deletedAt: string | null;
}

export interface ListQuery {
  readonly trash: boolean;
  readonly limit: number;
  /** Start after this place in the order: newest `lastMessageAt ?? createdAt` first, then id. */
  readonly after: { readonly at: string; readonly id: string } | undefined;
  readonly filter?: ListFilter | undefined;
}

/** Only conversations for which everything given here is true (`passesFilter` of `rules.ts`). */
export interface ListFilter {
  readonly channel?: string | undefined;
  readonly keyPrefix?: string | undefined;
  /** A part of the title, in lower case; the case of the title does not matter. */
  readonly title?: string | undefined;
  readonly model?: string | undefined;
  /** Those with more branches than `main`. */
  readonly forked?: boolean | undefined;
  /** The last activity is at this time or later … */
  readonly activeFrom?: string | undefined;
  /** … and before this time. */
  readonly activeBefore?: string | undefined;
}

/** What the conversations outside the trash can be filtered by, each name once, in order. */
export interface Facets {
  readonly channels: readonly string[];
  readonly models: readonly string[];
}

export interface PageQuery {
  readonly conversation: string;
  readonly direction: "forward" | "backward";
  /** Entries after (forward) or before (backward) this `seq`; `null` from the start or the end. */
  readonly from: number | null;
  readonly limit: number;
  /** A page ends before its messages, with the blobs they refer to, would exceed this. It holds at least one entry. */
  readonly bytesMax: number;
  /** Only entries of this kind. */
  readonly kind?: string | undefined;
  /** The path of this branch, by name or id; `undefined` is the checked-out branch, `null` the whole log. */
  readonly branch?: string | number | null | undefined;
  /** For a copy: the whole log, even of a conversation in the trash, and the branch of each entry. */
  readonly asStored?: boolean | undefined;
}

export interface EntryPage {
  /** In ascending `seq`, whatever the direction. */
  readonly entries: StoredEntry[];
  /** Whether there are further entries in the direction of reading. */
  readonly more: boolean;
  /** The id of the branch that was read: the next page continues there, even if another is checked out by then. */
  readonly branch?: number | undefined;
  /** Required with `asStored`: the branch of each entry. */
  readonly branches?: readonly number[] | undefined;
  /** With `asStored`: the turn that is open, if there is one. */
  readonly turn?: string | undefined;
}

/** Messages as `PageQuery` selects them. */
export type TextQuery = Omit<PageQuery, "kind" | "asStored">;

/** A page of messages that is passed on unread. */
export interface PageText {
  /** A JSON array: the entries that `page` returns for the same query. */
  readonly json: string;
  /** The `seq` of the first and of the last of them; `null` if there are none. */
  readonly ends: readonly [number, number] | null;
  /** As in `EntryPage`. */
  readonly more: boolean;
  readonly branch?: number | undefined;
  /** Whether one of them refers to blobs. */
  readonly hasBlobs: boolean;
}

/** A turn that has begun and not ended. */
export interface OpenTurn {
  readonly id: string;
  readonly header: JsonObject;
  /** From the requested position on. */
  readonly text: string;
  /** Of the whole text so far, in UTF-16 units. */
  readonly length: number;
}

/** A slice of the stored bytes of a blob. */
export interface BlobPart {
  readonly size: number;
  readonly encoding: BlobEncoding;
  readonly storedBytes: number;
  readonly data: Uint8Array;
}

/** A job, and its place among those with the same time. */
export interface QueuedJob extends NewJob {
  /** Grows with every job that is put. */
  readonly n: number;
}

/** Jobs for which everything given here is true, in the order of `at`, then `n` (`jobPage` of `job-rules.ts`). */
export interface JobQuery {
  readonly queue?: string | undefined;
  readonly id?: string | undefined;
  /** The beginning of the queue. */
  readonly prefix?: string | undefined;
  readonly conversation?: string | undefined;
  readonly after?: { readonly at: string; readonly n: number } | undefined;
  readonly limit: number;
}

/** A position in the feed of changes. Only the engine that made it can read it. */
export type FeedPlace = readonly [number, number];

/** Something that was committed. */
export interface Change {
  /** The position after this change, to continue from. */
  readonly place: FeedPlace;
  readonly type: "entry" | "created" | "updated" | "trashed" | "restored" | "purged" | "redacted" | "swept";
  readonly conversation: string;
  /** With `entry`. */
  readonly entry?: StoredEntry;
}

/** Something wrong with the stored data. */
export interface Finding {
  /** Short and stable, such as `bad-line` or `wrong-count`. */
  readonly code: string;
  readonly conversation: string | null;
  /** The file. */
  readonly source: string | null;
  readonly line: number | null;
  readonly message: string;
  /** How many findings this one stands for, if the others are not listed. */
  readonly count?: number;
}

export interface VerifyReport {
  readonly ok: boolean;
  readonly conversations: number;
  readonly entries: number;
  readonly findings: Finding[];
}

/** How much there is, without the trash. */
export interface Counts {
  readonly conversations: number;
  /** On all branches. */
  readonly messages: number;
  /** Of the files, with everything that is in them. */
  readonly bytes: number;
}

export interface EngineStats extends Counts {
  /** With those in the trash. */
  readonly entries: number;
  /** Bytes in the trash, in free pages and in leftovers. */
  readonly reclaimable: number;
  /** The conversations with the most messages, at most `TOP_COUNT` of `rules.ts`. */
  readonly top: ConversationInfo[];
  /** By id, including the trash: the bytes of the entries of each conversation, and of its blobs as stored. */
  readonly sizes: Readonly<Record<string, number>>;
}
