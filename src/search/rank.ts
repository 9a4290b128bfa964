/**
 * Ranks messages by the terms that they and their neighbours have.
 *
 * An answer often does not repeat the words of its question, and a question not those of its answer: so a message
 * also counts what is said around it, and a part of what its conversation has as a whole.
 */
import type { TermMatches } from "./candidates.ts";
import type { DocumentRow, IndexFile } from "./index-file.ts";
import { FIELDS, type Field } from "./schema.ts";

/** A message that may be a hit, by its conversation and its position in it. Position 0 is the title. */
export interface RankedMessage {
  readonly conversation: number;
  readonly position: number;
  readonly score: number;
  /** Of its entry, if it is known. */
  readonly seq?: number | undefined;
  /** It has terms itself, not only its neighbours. */
  readonly isMatch: boolean;
}

export interface RankSettings {
  /** How fast a term that is repeated stops to count more, and how much the length of a message matters. */
  readonly saturation: number;
  readonly lengthPart: number;
  /** What the neighbours count, by distance. */
  readonly neighbours: readonly number[];
  readonly conversationPart: number;
  readonly fields: Readonly<Record<Field, number>>;
}

const RANK_SETTINGS: RankSettings = {
  saturation: 1.2,
  lengthPart: 0.5,
  neighbours: [0.5, 0.25],
  conversationPart: 0.3,
  fields: { text: 1, title: 1, tool: 0.8, thinking: 0.6, output: 0.5 },
};

/** A typical message, in words that are indexed. */
const LENGTH_TYPICAL = 40;
/** Of more documents, those that have more of the terms are looked at. */
const CANDIDATES_MAX = 2000;
/** The best messages pass a part of their score on to their neighbours. */
const CENTRES_MAX = 300;
/** Positions of one conversation; more than any has. */
const POSITIONS = 2 ** 26;

/** From the best to the worst. */
export function rankMessages(
  file: IndexFile,
  terms: readonly TermMatches[],
  accepts: (row: DocumentRow) => boolean,
  settings: RankSettings = RANK_SETTINGS,
): RankedMessage[] {
  const rows = readRows(file, bestDocuments(terms)).filter(accepts);
  const conversations = new ConversationScores(terms, settings);
  const scorer = new DocumentScorer(terms, settings);
  const own = new Map<number, number>();
  const seqs = new Map<number, number>();
  for (const row of rows) {
    const key = row.conversation * POSITIONS + row.position;
    own.set(key, (own.get(key) ?? 0) + scorer.scoreOf(row));
    seqs.set(key, row.seq);
    conversations.count(row);
  }
  const whole = [...own].map(([key, score]): [number, number] => [key, score + conversations.of(key)]);
  const centres = whole.sort((one, other) => other[1] - one[1] || other[0] - one[0]);
  const best = withNeighbours(centres.slice(0, CENTRES_MAX), own, settings);
  const toRanked = ([key, score]: readonly [number, number]): RankedMessage => ({
    conversation: Math.floor(key / POSITIONS),
    position: key % POSITIONS,
    score,
    seq: seqs.get(key),
    isMatch: own.has(key),
  });
  const ranked = [...best].map(([key, score]) => toRanked([key, score + conversations.of(key)]));
  const rest = centres.slice(CENTRES_MAX).filter(([key]) => !best.has(key));
  return [...ranked.sort(byScore), ...rest.map(toRanked)];
}

function byScore(one: RankedMessage, other: RankedMessage): number {
  return other.score - one.score || other.conversation - one.conversation || one.position - other.position;
}

/** Their own scores, and those of the messages around them. */
function withNeighbours(
  centres: readonly (readonly [number, number])[],
  own: ReadonlyMap<number, number>,
  { neighbours }: RankSettings,
): Map<number, number> {
  const scores = new Map<number, number>();
  const add = (key: number, score: number): void => {
    scores.set(key, (scores.get(key) ?? 0) + score);
  };
  for (const [key] of centres) {
    const score = own.get(key) ?? 0;
    const position = key % POSITIONS;
    add(key, score);
    for (const [step, part] of neighbours.entries()) {
      add(key + step + 1, part * score);
      if (position > step + 1) add(key - step - 1, part * score);
    }
  }
  return scores;
}

/** When there are too many, those that have more of the terms, then the newest. */
function bestDocuments(terms: readonly TermMatches[]): number[] {
  const scores = new Map<number, number>();
  for (const { weight, documents } of terms) {
    for (const [id, times] of documents) scores.set(id, (scores.get(id) ?? 0) + weight * (1 + times / 10));
  }
  if (scores.size <= CANDIDATES_MAX) return [...scores.keys()];
  return [...scores]
    .sort((one, other) => other[1] - one[1] || other[0] - one[0])
    .slice(0, CANDIDATES_MAX)
    .map(([id]) => id);
}

function readRows(file: IndexFile, ids: readonly number[]): DocumentRow[] {
  const sorted = [...ids].sort((one, other) => one - other);
  const sql = "SELECT documents.* FROM json_each(?) AS wanted JOIN documents ON documents.id = wanted.value";
  return file.rows(sql, JSON.stringify(sorted));
}

/** Of terms that are alternatives, only the best counts. */
class Groups {
  readonly #places: readonly number[];
  readonly #best: Float64Array;

  constructor(terms: readonly TermMatches[]) {
    const groups = [...new Set(terms.map(({ group }) => group))];
    this.#places = terms.map(({ group }) => groups.indexOf(group));
    this.#best = new Float64Array(groups.length);
  }

  /** `scoreIn` returns the score of a term, or 0. */
  sum(scoreIn: (term: number) => number): number {
    const best = this.#best.fill(0);
    for (const [term, place] of this.#places.entries()) {
      const value = scoreIn(term);
      if (value > (best[place] as number)) best[place] = value;
    }
    let sum = 0;
    for (const value of best) sum += value;
    return sum;
  }
}

/** Scores documents by themselves. */
class DocumentScorer {
  readonly #terms: readonly TermMatches[];
  readonly #settings: RankSettings;
  readonly #groups: Groups;

  constructor(terms: readonly TermMatches[], settings: RankSettings) {
    this.#terms = terms;
    this.#settings = settings;
    this.#groups = new Groups(terms);
  }

  scoreOf({ id, field, length }: DocumentRow): number {
    const { saturation, lengthPart, fields } = this.#settings;
    const relative = 1 - lengthPart + lengthPart * Math.min(8, length / LENGTH_TYPICAL);
    const sum = this.#groups.sum((term) => {
      const { weight, documents } = this.#terms[term] as TermMatches;
      const times = documents.get(id) ?? 0;
      return (weight * times * (saturation + 1)) / (times + saturation * relative);
    });
    return sum * fields[FIELDS[field] as Field];
  }
}

/** Which of the terms a conversation has, and in how many documents. */
class ConversationScores {
  readonly #terms: readonly TermMatches[];
  readonly #settings: RankSettings;
  readonly #groups: Groups;
  readonly #counts = new Map<number, Float64Array>();
  readonly #scores = new Map<number, number>();

  constructor(terms: readonly TermMatches[], settings: RankSettings) {
    this.#terms = terms;
    this.#settings = settings;
    this.#groups = new Groups(terms);
  }

  count({ id, conversation }: DocumentRow): void {
    let counts = this.#counts.get(conversation);
    if (counts === undefined) {
      counts = new Float64Array(this.#terms.length);
      this.#counts.set(conversation, counts);
    }
    for (const [term, { documents }] of this.#terms.entries()) {
      if (documents.has(id)) counts[term] = (counts[term] as number) + 1;
    }
  }

  /** What it adds to the score of a message. Call it when all documents are counted. */
  of(key: number): number {
    const conversation = Math.floor(key / POSITIONS);
    let score = this.#scores.get(conversation);
    if (score === undefined) {
      const { saturation, conversationPart } = this.#settings;
      const counts = this.#counts.get(conversation);
      score =
        conversationPart *
        this.#groups.sum((term) => {
          const { weight } = this.#terms[term] as TermMatches;
          const count = counts?.[term] ?? 0;
          return (weight * count * (saturation + 1)) / (count + saturation);
        });
      this.#scores.set(conversation, score);
    }
    return score;
  }
}
