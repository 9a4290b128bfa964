/** What the ledger will know of the conversations of a file. It is told while the file is read: there may be many. */
import type { ConversationWriter } from "../writer/conversation-writer.ts";
import { titleMark } from "../writer/title.ts";
import type { RememberedConversation } from "./conversations.ts";
import type { Ledger } from "./ledger.ts";

/** The ledger is told of so many conversations at once: each transaction rewrites pages of its indexes. */
const NOTES_MAX = 1000;

export class FileNotes {
  readonly #ledger: Ledger;
  readonly #path: string;
  /** The version of each conversation that is being read. */
  readonly #versions: Map<string, string> = new Map();
  #isOpen = false;
  #last: string | undefined;
  readonly #notes: RememberedConversation[] = [];

  constructor(ledger: Ledger, path: string) {
    this.#ledger = ledger;
    this.#path = path;
  }

  /** Whether an earlier import of the file has left the conversation in this version. */
  isCurrent(sourceId: string, version: string): boolean {
    return this.#ledger.conversations.bySourceId(this.#path, sourceId)?.version === version;
  }

  begin(sourceId: string, version: string): void {
    this.#last = sourceId;
    if (!this.#isOpen) this.#versions.set(sourceId, version);
  }

  /** A part of it was left out, so the next import has to read it again. */
  leaveOpen(sourceId: string): void {
    this.#versions.delete(sourceId);
  }

  /** The one that was begun last has a damaged row: mending it does not change the version. */
  leaveLastOpen(): void {
    if (this.#last !== undefined) this.leaveOpen(this.#last);
  }

  /** Also those that are begun later: a part of any of them may be missing. */
  leaveAllOpen(): void {
    this.#isOpen = true;
    this.#versions.clear();
  }

  /** These conversations were read to their end, and are in the store. */
  add(writers: ReadonlyMap<string, ConversationWriter>): void {
    for (const [sourceId, writer] of writers) {
      this.#notes.push(rememberedOf(sourceId, writer, this.#versions.get(sourceId)));
      this.#versions.delete(sourceId);
    }
    if (this.#notes.length >= NOTES_MAX) this.#ledger.note(this.#path, this.take());
  }

  /** What the ledger was not told of yet. */
  take(): readonly RememberedConversation[] {
    return this.#notes.splice(0);
  }
}

function rememberedOf(
  sourceId: string,
  writer: ConversationWriter,
  version: string | undefined,
): RememberedConversation {
  const { id, tree, start } = writer;
  const isOther = start.root !== undefined && start.root !== sourceId;
  return {
    ...{ id, lastSeq: tree.lastSeq, lastId: tree.lastOnPath, version: version ?? null },
    ...writer.naming,
    sourceId,
    keyMark: titleMark(id, start.key ?? null),
    ...(isOther ? { root: start.root } : {}),
    ...(start.isHidden === true ? { isHidden: true } : {}),
  };
}
