/**
 * What a run that writes nothing has found of its conversations. A later file of the same conversation has to know the
 * entries of an earlier one, which are not in the store, and there may be millions of conversations: so they are in a
 * temporary database, and no writer stays in memory.
 */
import { DatabaseSync, type StatementSync } from "node:sqlite";
import type { SourceConversation } from "../../contract/reader.ts";
import type { KnownEntries, KnownJson } from "./known-entries.ts";
import type { PlacementJson } from "./placement.ts";

/** A conversation with the entries that it would have. */
export interface Preview {
  /** How its source names it. */
  readonly start: SourceConversation;
  /** The first words of the user. */
  readonly derived: string | undefined;
  readonly shown: PreviewedBranch | undefined;
  /** `undefined` if none were added, as in a verification. */
  readonly tree: PreviewedTree | undefined;
}

/** The branch that would be checked out: when it was used, and whether its tool hides the file. */
export interface PreviewedBranch {
  readonly atMs: number;
  readonly isHidden: boolean;
}

export interface PreviewedTree {
  readonly messages: number;
  readonly tails: readonly (readonly [string, string])[];
  readonly placement: PlacementJson;
  /** Of a long conversation, the entries themselves: they are in a table that takes little memory. */
  readonly known: KnownJson | KnownEntries;
}

export class Previews {
  #rows: Rows | undefined;
  readonly #long: Map<string, KnownEntries> = new Map();

  get(id: string): Preview | undefined {
    const preview = this.#rows?.get(id);
    const known = this.#long.get(id);
    if (preview?.tree === undefined || known === undefined) return preview;
    return { ...preview, tree: { ...preview.tree, known } };
  }

  put(id: string, preview: Preview): void {
    const { tree } = preview;
    const isLong = tree !== undefined && "preview" in tree.known;
    if (isLong) this.#long.set(id, tree.known as KnownEntries);
    this.#rows ??= new Rows();
    this.#rows.put(id, isLong ? { ...preview, tree: { ...tree, known: NONE } } : preview);
  }

  close(): void {
    this.#rows?.close();
  }
}

const NONE: KnownJson = { ids: [], names: [] };

class Rows {
  /** Without a name it is in memory while it is small, and then in a file that no other program sees. */
  readonly #database: DatabaseSync = new DatabaseSync("");
  readonly #get: StatementSync;
  readonly #put: StatementSync;

  constructor() {
    this.#database.exec(`PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;
      CREATE TABLE previews (id TEXT PRIMARY KEY, preview TEXT) WITHOUT ROWID; BEGIN`);
    this.#get = this.#database.prepare("SELECT preview FROM previews WHERE id = ?");
    this.#put = this.#database.prepare("INSERT OR REPLACE INTO previews VALUES (?, ?)");
  }

  get(id: string): Preview | undefined {
    const row = this.#get.get(id);
    return row && (JSON.parse(String(row.preview)) as Preview);
  }

  put(id: string, preview: Preview): void {
    this.#put.run(id, JSON.stringify(preview));
  }

  close(): void {
    this.#database.close();
  }
}
