import type { Space } from "../../sqlite/vectors/vector-table.ts";
import { type Chunk, type ChunkRow, chunkOf } from "../database/chunk.ts";
import type { MemoryFile } from "../database/memory-file.ts";
import type { EmbeddingChain } from "../embeddings/chain.ts";
import { spaceOf } from "../embeddings/provider.ts";
import { type Candidate, diverse } from "./diversity.ts";
import { type Explanation, RANK, type RankOptions, recencyOf, relevanceOf, scoreOf } from "./rank.ts";
import { indexedWords, wordQuery } from "./words.ts";

export type SearchMode = "keyword" | "semantic" | "hybrid";

export interface MemoryQuery {
  /** By default `hybrid` if there is an embedding provider, otherwise `keyword`. */
  readonly mode?: SearchMode;
  /** By default 8. */
  readonly limit?: number;
  /** Only chunks of this source, or of files below this folder. */
  readonly source?: string;
  /** Only chunks from this time on, as epoch milliseconds. */
  readonly after?: number;
  /** Only chunks before this time, as epoch milliseconds. */
  readonly before?: number;
  readonly rank?: RankOptions;
  readonly signal?: AbortSignal;
}

export interface FoundChunk extends Chunk {
  readonly score: number;
  /** Every part of the score. */
  readonly explain: Explanation;
}

/** A question as a vector, and the space in which it can be compared. */
export interface AskedVector {
  readonly space: Space;
  readonly vector: Float32Array;
}

/** Candidates from each list, for each result. */
const CANDIDATES_PER_RESULT = 8;
const CANDIDATES_MIN = 100;

/** The question as a vector of the first provider that answers; `undefined` if nothing is embedded with it. */
export async function askedVector(
  file: MemoryFile,
  chain: EmbeddingChain,
  text: string,
  signal: AbortSignal | undefined,
): Promise<AskedVector | undefined> {
  const options = { purpose: "query" as const, ...(signal === undefined ? {} : { signal }) };
  const { provider, vectors } = await chain.embedBatch([text], options);
  const space = file.read(() => file.vectors.findSpace(spaceOf(provider)));
  const [vector] = vectors;
  return space === undefined || vector === undefined ? undefined : { space, vector };
}

/** The best chunks for a question. `asked` is missing where only words are compared. */
export function searchChunks(
  file: MemoryFile,
  text: string,
  asked: AskedVector | undefined,
  query: MemoryQuery,
  nowMs: number,
): FoundChunk[] {
  const { limit = 8 } = query;
  const rank = { ...RANK, ...query.rank } as typeof RANK;
  const count = Math.max(CANDIDATES_MIN, limit * CANDIDATES_PER_RESULT);
  const words = query.mode === "semantic" ? undefined : wordQuery(text);
  const byWords = words === undefined ? [] : file.chunks.matching(words, ...conditionOf(query), count);
  const byVector = asked === undefined ? [] : vectorScores(file, asked, query, count);
  const best = -(byWords[0]?.[1] ?? -1);
  const textParts = new Map(byWords.map(([id, score], place) => [id, { score: -score / best, place }]));
  const vectorParts = new Map(byVector.map(({ item, score }, place) => [item, { score, place }]));
  const has = { vectors: asked !== undefined, words: words !== undefined };
  const candidates = [...new Set([...textParts.keys(), ...vectorParts.keys()])].flatMap((id) => {
    const row = file.chunks.byId(id);
    if (row === undefined) return [];
    const vector = vectorParts.get(id);
    const words = textParts.get(id);
    const parts = {
      vector: vector?.score ?? null,
      vectorPlace: vector?.place ?? null,
      text: words?.score ?? null,
      textPlace: words?.place ?? null,
    };
    const relevance = relevanceOf(parts, rank, has);
    const recency = recencyOf(Number(row.at), nowMs, rank.halfLifeDays);
    const score = scoreOf(relevance, recency, Number(row.importance));
    return [{ ...candidateOf(file, row, id, asked), score, row, parts, relevance, recency }];
  });
  return diverse(candidates, limit, rank.diversity).map(
    ({ row, score, parts, relevance, recency, similarity }) => {
      const chunk = chunkOf(row);
      const { vector, text: words } = parts;
      const explain = { vector, text: words, relevance, recency, importance: chunk.importance, similarity };
      return { ...chunk, score, explain };
    },
  );
}

function candidateOf(
  file: MemoryFile,
  row: ChunkRow,
  id: number,
  asked: AskedVector | undefined,
): Omit<Candidate, "score"> {
  const vector = asked === undefined ? undefined : file.vectors.get(asked.space, id);
  return { vector, words: new Set(indexedWords(String(row.text)).toLowerCase().split(" ")) };
}

function vectorScores(
  file: MemoryFile,
  { space, vector }: AskedVector,
  query: MemoryQuery,
  limit: number,
): ReturnType<MemoryFile["vectors"]["search"]> {
  const [sql, values] = conditionOf(query);
  const inside = `SELECT c.id FROM memory_chunks AS c JOIN memory_sources AS s ON s.id = c.source WHERE ${sql}`;
  const where = values.length === 0 ? undefined : { sql: `item IN (${inside})`, values };
  return file.vectors.search(space, vector, { limit, where });
}

/** The filters of a query as SQL over chunks `c` and sources `s`. */
function conditionOf({ source, after, before }: MemoryQuery): [sql: string, values: (string | number)[]] {
  const parts: [string, (string | number)[]][] = [];
  if (source !== undefined) {
    const folder = source.endsWith("/") ? source : `${source}/`;
    parts.push(["(s.name = ? OR substr(s.name, 1, length(?)) = ?)", [source, folder, folder]]);
  }
  if (after !== undefined) parts.push(["c.at >= ?", [after]]);
  if (before !== undefined) parts.push(["c.at < ?", [before]]);
  const sql = parts.length === 0 ? "true" : parts.map(([part]) => part).join(" AND ");
  return [sql, parts.flatMap(([, values]) => values)];
}
