import type { StoredEntry } from "../../message/types.ts";
import type { Change, FeedPlace } from "../queries.ts";

type Note = Pick<Change, "type" | "conversation"> & { readonly entry?: string };

/** What was committed, in order. It holds only the ids of entries, so that nothing redacted or purged stays here. */
export class Feed {
  readonly #notes: Note[] = [];

  add(type: Change["type"], conversation: string, entry?: string): void {
    this.#notes.push(entry === undefined ? { type, conversation } : { type, conversation, entry });
  }

  /** `find` returns the current state of an entry, or `undefined` when it was permanently removed. */
  after(
    place: FeedPlace | null,
    limit: number,
    find: (conversation: string, entry: string) => StoredEntry | undefined,
  ): { changes: Change[]; place: FeedPlace } {
    const end = this.#notes.length;
    const changes: Change[] = [];
    let index = place === null ? end : Math.min(Math.max(0, place[0]), end);
    for (; index < end && changes.length < limit; index++) {
      const { type, conversation, entry: id } = this.#notes[index] as Note;
      const entry = id === undefined ? undefined : find(conversation, id);
      if (id !== undefined && entry === undefined) continue;
      const change: Change = { place: [index + 1, 0], type, conversation };
      changes.push(entry === undefined ? change : { ...change, entry });
    }
    return { changes, place: [index, 0] };
  }
}
