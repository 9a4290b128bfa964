/** The rows of sources and chunks. Every change of a chunk changes its words, and removes the vectors of its old text. */
import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { VectorTable } from "../../sqlite/vectors/vector-table.ts";
import type { JsonObject } from "../../util/json.ts";
import { sha256Hex } from "../../util/sha256.ts";
import { UuidSequence } from "../../util/uuid.ts";
import type { MarkdownChunk } from "../chunk/markdown.ts";
import { cacheKey } from "../embeddings/cache.ts";
import { indexedWords } from "../recall/words.ts";
import { CHUNK_COLUMNS, type ChunkRow, type SourceKind } from "./chunk.ts";

export interface NewSource {
  readonly name: string;
  readonly kind: SourceKind;
  readonly stamp: string;
  readonly at: number;
  readonly importance: number;
  readonly provenance: JsonObject | null;
}

/** What became of the chunks of a source. */
export interface SourceChanges {
  readonly added: number;
  readonly kept: number;
  readonly removed: number;
}

export class ChunkStore {
  readonly #database: DatabaseSync;
  readonly #vectors: VectorTable;
  readonly #ids = new UuidSequence();
  readonly #statements = new Map<string, StatementSync>();

  constructor(database: DatabaseSync, vectors: VectorTable) {
    this.#database = database;
    this.#vectors = vectors;
  }

  /** Inside a transaction. Chunks with the same text below the same headings keep their ids, times and vectors. */
  replace(source: NewSource, chunks: readonly MarkdownChunk[]): SourceChanges {
    const id = this.#sourceId(source);
    const old = Map.groupBy(this.ofSource(source.name), (row) => `${row.hash} ${row.headings}`);
    let [added, kept] = [0, 0];
    for (const chunk of chunks) {
      const hash = sha256Hex(chunk.text);
      const known = old.get(`${hash} ${JSON.stringify(chunk.headings)}`)?.shift();
      if (known !== undefined) {
        this.#move(Number(known.id), chunk);
        kept++;
      } else if (!this.#isForgotten(hash)) {
        this.#insert(id, hash, chunk, source);
        added++;
      }
    }
    const left = [...old.values()].flat();
    for (const row of left) this.remove(row);
    return { added, kept, removed: left.length };
  }

  /** Inside a transaction: the chunk, its words, its vectors, and what the cache has of it. */
  remove(row: ChunkRow): void {
    const id = Number(row.id);
    this.#prepared("DELETE FROM memory_chunks_fts WHERE rowid = ?").run(id);
    this.#vectors.remove(id);
    this.#prepared("DELETE FROM memory_chunks WHERE id = ?").run(id);
    this.#prepared("DELETE FROM embedding_cache WHERE key = ?").run(cacheKey(embeddedText(row)));
  }

  /** Inside a transaction. */
  removeSource(name: string): void {
    this.#prepared("DELETE FROM memory_sources WHERE name = ?").run(name);
  }

  /**
   * Inside a transaction: remove a chunk for good. Neither a file with its text
   * nor a request for its vector that is still running brings it back.
   */
  forget(row: ChunkRow, at: number): void {
    this.remove(row);
    for (const hash of [String(row.hash), cacheKey(embeddedText(row))]) {
      this.#prepared("INSERT OR IGNORE INTO memory_forgotten (hash, at) VALUES (?, ?)").run(hash, at);
    }
  }

  /** What is added on purpose is no longer forgotten. */
  allow(chunks: readonly MarkdownChunk[]): void {
    for (const { text, headings } of chunks) {
      for (const hash of [
        sha256Hex(text),
        cacheKey(embeddedText({ text, headings: JSON.stringify(headings) })),
      ]) {
        this.#prepared("DELETE FROM memory_forgotten WHERE hash = ?").run(hash);
      }
    }
  }

  stampOf(name: string): string {
    return String(this.#prepared("SELECT stamp FROM memory_sources WHERE name = ?").get(name)?.stamp ?? "");
  }

  /** The names of files at and below a path. */
  filesBelow(path: string): string[] {
    const sql =
      "SELECT name FROM memory_sources WHERE kind = 'file' AND (name = ?1 OR substr(name, 1, length(?2)) = ?2)";
    return this.#prepared(sql)
      .all(path, path.endsWith("/") ? path : `${path}/`)
      .map(({ name }) => String(name));
  }

  ofSource(name: string): ChunkRow[] {
    return this.#select("WHERE s.name = ? ORDER BY c.first_line, c.id").all(name);
  }

  byUid(uid: string): ChunkRow | undefined {
    return this.#select("WHERE c.uid = ?").get(uid);
  }

  byId(id: number): ChunkRow | undefined {
    return this.#select("WHERE c.id = ?").get(id);
  }

  page(afterId: number, limit: number, source: string | undefined): ChunkRow[] {
    const sql = "WHERE c.id > ?1 AND (?3 IS NULL OR s.name = ?3) ORDER BY c.id LIMIT ?2";
    return this.#select(sql).all(afterId, limit, source ?? null);
  }

  /** Every source and the number of its chunks, the largest first. */
  sources(limit: number): { readonly source: string; readonly kind: SourceKind; readonly chunks: number }[] {
    const sql = `SELECT s.name, s.kind, count(c.id) AS n FROM memory_sources AS s
      JOIN memory_chunks AS c ON c.source = s.id GROUP BY s.id ORDER BY n DESC, s.name LIMIT ?`;
    return this.#prepared(sql)
      .all(limit)
      .map(({ name, kind, n }) => ({ source: String(name), kind: kind as SourceKind, chunks: Number(n) }));
  }

  count(): number {
    return Number(this.#prepared("SELECT count(*) AS n FROM memory_chunks").get()?.n);
  }

  /** The space is missing at first, so that its id is 0. */
  withoutVector(space: number, limit: number): ChunkRow[] {
    return this.#select(
      `WHERE NOT EXISTS (SELECT 1 FROM memory_chunks_vec AS v WHERE v.item = c.id AND v.space = ?)
       ORDER BY c.id DESC LIMIT ?`,
    ).all(space, limit);
  }

  countWithoutVector(space: number): number {
    const sql = `SELECT count(*) AS n FROM memory_chunks AS c
      WHERE NOT EXISTS (SELECT 1 FROM memory_chunks_vec AS v WHERE v.item = c.id AND v.space = ?)`;
    return Number(this.#prepared(sql).get(space)?.n);
  }

  /** The best by words: their ids, and the score of FTS5, which is lower for better ones. */
  matching(
    query: string,
    where: string,
    values: readonly (string | number)[],
    limit: number,
  ): [number, number][] {
    const sql = `SELECT f.rowid AS id, bm25(memory_chunks_fts, 1.0, 2.0) AS score
      FROM memory_chunks_fts AS f JOIN memory_chunks AS c ON c.id = f.rowid JOIN memory_sources AS s ON s.id = c.source
      WHERE memory_chunks_fts MATCH ? AND ${where} ORDER BY score LIMIT ?`;
    const rows = this.#prepared(sql).all(query, ...values, limit);
    return rows.map(({ id, score }) => [Number(id), Number(score)]);
  }

  #sourceId({ name, kind, stamp, at }: NewSource): number {
    const sql = `INSERT INTO memory_sources (name, kind, stamp, at) VALUES (?, ?, ?, ?)
      ON CONFLICT (name) DO UPDATE SET stamp = excluded.stamp, at = excluded.at RETURNING id`;
    return Number(this.#prepared(sql).get(name, kind, stamp, at)?.id);
  }

  #insert(source: number, hash: string, chunk: MarkdownChunk, from: NewSource): void {
    const { at, importance, provenance } = from;
    const headings = JSON.stringify(chunk.headings);
    const sql = `INSERT INTO memory_chunks
      (uid, source, first_line, last_line, headings, text, hash, importance, provenance, at)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;
    const { lastInsertRowid } = this.#prepared(sql).run(
      this.#ids.next(at),
      source,
      chunk.firstLine,
      chunk.lastLine,
      headings,
      chunk.text,
      hash,
      importance,
      provenance === null ? null : JSON.stringify(provenance),
      at,
    );
    this.#prepared("INSERT INTO memory_chunks_fts (rowid, words, headings) VALUES (?, ?, ?)").run(
      lastInsertRowid,
      indexedWords(chunk.text),
      indexedWords(chunk.headings.join(" ")),
    );
  }

  #move(id: number, { firstLine, lastLine }: MarkdownChunk): void {
    const sql = "UPDATE memory_chunks SET first_line = ?, last_line = ? WHERE id = ?";
    this.#prepared(sql).run(firstLine, lastLine, id);
  }

  #isForgotten(hash: string): boolean {
    return this.#prepared("SELECT 1 FROM memory_forgotten WHERE hash = ?").get(hash) !== undefined;
  }

  #select(rest: string): StatementSync {
    return this.#prepared(
      `SELECT ${CHUNK_COLUMNS} FROM memory_chunks AS c JOIN memory_sources AS s ON s.id = c.source ${rest}`,
    );
  }

  #prepared(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.#database.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }
}

/** What is sent to be embedded: a chunk together with the headings above it, which say what it is about. */
export function embeddedText(row: ChunkRow): string {
  const headings: readonly string[] = JSON.parse(String(row.headings));
  return [...(headings.length === 0 ? [] : [headings.join(" > ")]), String(row.text)].join("\n");
}
