/** Search by meaning: a vector for the text of each message, in the file of the index, so that it goes with its words. */
import type { StoredEntry } from "../message/types.ts";
import type { Condition, Space, VectorTable } from "../sqlite/vectors/vector-table.ts";
import { fieldTexts } from "./fields.ts";
import type { DocumentRow, IndexFile } from "./index-file.ts";
import type { SearchSource } from "./source.ts";

/** Turns texts into vectors of length 1. The providers of `colloquy/memory` are such models. */
export interface SemanticModel {
  readonly model: string;
  readonly dimensions: number;
  embed(text: string, options?: SemanticOptions): Promise<Float32Array>;
  /** In the order of the texts, one for each. */
  embedBatch(texts: readonly string[], options?: SemanticOptions): Promise<readonly Float32Array[]>;
}

export interface SemanticOptions {
  readonly purpose?: "document" | "query";
  readonly signal?: AbortSignal;
}

/** A message by its document, with how close it is: 1 is the same direction. */
export interface Close {
  readonly row: DocumentRow;
  readonly score: number;
}

const BATCH = 64;
/** What is embedded of a long message, and of a question. */
const CHARS_MAX = 8000;

export class MessageVectors {
  readonly #file: IndexFile;
  readonly #vectors: VectorTable;
  readonly #model: SemanticModel;

  constructor(file: IndexFile, vectors: VectorTable, model: SemanticModel) {
    this.#file = file;
    this.#vectors = vectors;
    this.#model = model;
  }

  /** Embed messages that have no vector of this model yet. Returns whether all have one. */
  async embedPending(source: SearchSource, signal: AbortSignal): Promise<boolean> {
    const space = await this.#space();
    for (;;) {
      if (signal.aborted) return false;
      const { generation } = this.#file;
      const after = this.#file.embeddedUpTo(space.name);
      const rows = this.#file.textsAfter(after, BATCH);
      if (rows.length === 0) break;
      const texts = await this.#textsOf(source, rows);
      const wanted = texts.filter((text) => text !== "");
      const made =
        wanted.length === 0 ? [] : await this.#model.embedBatch(wanted, { purpose: "document", signal });
      await this.#file.transaction(() => {
        const isSame = this.#file.generation === generation && this.#file.embeddedUpTo(space.name) === after;
        if (isSame) this.#put(space, rows, texts, made);
      });
    }
    await this.#removeOtherSpaces(space);
    return true;
  }

  #put(
    space: Space,
    rows: readonly DocumentRow[],
    texts: readonly string[],
    made: readonly Float32Array[],
  ): void {
    let next = 0;
    for (const [index, row] of rows.entries()) {
      const vector = texts[index] === "" ? undefined : made[next++];
      const now = this.#file.document(row.id);
      // It may have been erased meanwhile, and its id used again.
      if (now !== undefined && !isSameMessage(now, row)) return;
      if (now !== undefined && vector !== undefined) this.#vectors.put(space, row.id, vector);
      this.#file.setEmbedded(space.name, row.id);
    }
  }

  /** The messages whose vectors are closest to that of a question. */
  async closest(text: string, limit: number, where: Condition | undefined): Promise<Close[]> {
    const vector = await this.#model.embed(text.slice(0, CHARS_MAX), { purpose: "query" });
    const space = await this.#space();
    return this.#vectors.search(space, vector, { limit, where }).flatMap(({ item, score }) => {
      const row = this.#file.document(item);
      return row === undefined ? [] : [{ row, score }];
    });
  }

  async #space(): Promise<Space> {
    const { model, dimensions } = this.#model;
    const name = `${model}@${dimensions}`;
    return (
      this.#vectors.findSpace(name) ??
      (await this.#file.transaction(() => this.#vectors.space(name, dimensions)))
    );
  }

  /** Vectors of another model cannot be compared with those of this one. */
  async #removeOtherSpaces(space: Space): Promise<void> {
    for (const other of this.#vectors.spaces()) {
      if (other.id !== space.id) await this.#file.transaction(() => this.#vectors.removeSpace(other));
    }
  }

  /** In the order of the rows; empty for a message that was erased. */
  async #textsOf(source: SearchSource, rows: readonly DocumentRow[]): Promise<string[]> {
    const texts = new Map<number, string>();
    for (const [n, some] of Map.groupBy(rows, ({ conversation }) => conversation)) {
      const id = this.#file.conversationByNumber(n)?.id;
      const wanted = new Map(some.map((row) => [row.seq, row.id]));
      const last = some.at(-1)?.seq ?? 0;
      let after = (some[0]?.seq ?? 1) - 1;
      while (id !== undefined && after < last) {
        const { entries } = await source.entriesAfter(id, after);
        for (const entry of entries) {
          const row = wanted.get(entry.seq);
          if (row !== undefined) texts.set(row, textOfEntry(entry));
        }
        after = entries.at(-1)?.seq ?? last;
      }
    }
    return rows.map(({ id }) => texts.get(id) ?? "");
  }
}

function isSameMessage(one: DocumentRow, other: DocumentRow): boolean {
  return one.conversation === other.conversation && one.seq === other.seq;
}

function textOfEntry({ message }: StoredEntry): string {
  return (message === undefined ? "" : (fieldTexts(message).text ?? "")).slice(0, CHARS_MAX).trim();
}
