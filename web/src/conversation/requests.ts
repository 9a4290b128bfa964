/** What the view of a conversation asks of the gateway. */

import type {
  BranchesView,
  ConversationDetails,
  ListOf,
  PatchConversation,
} from "../../../src/gateway/wire/rest.ts";
import type { Entry } from "../../../src/message/types.ts";
import { address, answered, api } from "../api/api.ts";
import { conversationPath } from "../api/paths.ts";

export interface EntriesQuery {
  readonly last?: number;
  readonly before?: string;
  readonly after?: string;
  readonly limit?: number;
  readonly branch?: string;
}

export function readDetails(id: string): Promise<ConversationDetails> {
  return api("GET", conversationPath(id));
}

export function readEntries(id: string, query: EntriesQuery, signal?: AbortSignal): Promise<ListOf<Entry>> {
  return api("GET", conversationPath(id, "entries"), {
    query: { ...query, blobs: "references" },
    ...(signal && { signal }),
  });
}

export function readEntry(id: string, entry: string): Promise<Entry> {
  return api("GET", conversationPath(id, "entries", entry));
}

export function readBranches(id: string): Promise<BranchesView> {
  return api("GET", conversationPath(id, "branches"));
}

export function patchConversation(id: string, body: PatchConversation): Promise<ConversationDetails> {
  return api("PATCH", conversationPath(id), { body });
}

/** A new branch after an entry, checked out. */
export function addBranch(id: string, from: string): Promise<unknown> {
  return api("POST", conversationPath(id, "branches"), { body: { from, checkout: true } });
}

export function checkOut(id: string, branch: string): Promise<unknown> {
  return api("POST", conversationPath(id, "branches", "checkout"), { body: { name: branch } });
}

export function undoCompaction(id: string, entry: string): Promise<unknown> {
  return api("POST", conversationPath(id, "compactions", entry, "undo"));
}

export function redactEntry(id: string, entry: string): Promise<unknown> {
  return api("POST", conversationPath(id, "entries", entry, "redact"));
}

/** A blob, through the entry that refers to it: a token with a scope sees no others. */
export interface BlobPlace {
  readonly conversation: string;
  readonly entry: string;
  readonly hash: string;
}

/** The bytes of a blob, for images and downloads. */
export function blobAddress({ conversation, entry, hash }: BlobPlace, mediaType: string): string {
  return address(conversationPath(conversation, "entries", entry, "blobs", hash), { type: mediaType });
}

/** A text that is too large to be in its message. */
export async function readBlobText(place: BlobPlace): Promise<string> {
  return (await answered("GET", blobAddress(place, "text/plain"))).text();
}
