import type { StoredEntry } from "../../message/types.ts";
import { systemRandom } from "../../util/uuid.ts";
import { checkPlace, otherFeed } from "../feed-rules.ts";
import type { Change, FeedPlace } from "../queries.ts";

type Note = Pick<Change, "type" | "conversation"> & { readonly entry?: string };

/** What was committed, in order. It holds only the ids of entries, so that nothing redacted or purged stays here. */
export class Feed {
  readonly #notes: Note[] = [];
  /** Tells this feed from that of another store. */
  readonly #tag: number = randomTag();

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
    if (place !== null && place[1] !== this.#tag) throw otherFeed();
    let index = place?.[0] ?? end;
    checkPlace(index, end);
    for (; index < end && changes.length < limit; index++) {
      const { type, conversation, entry: id } = this.#notes[index] as Note;
      const entry = id === undefined ? undefined : find(conversation, id);
      if (id !== undefined && entry === undefined) continue;
      const change: Change = { place: [index + 1, this.#tag], type, conversation };
      changes.push(entry === undefined ? change : { ...change, entry });
    }
    return { changes, place: [index, this.#tag] };
  }
}

function randomTag(): number {
  const bytes = new Uint32Array(1);
  systemRandom(new Uint8Array(bytes.buffer));
  return bytes[0] as number;
}
