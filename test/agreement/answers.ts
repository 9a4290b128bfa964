/** What an engine answers, without that in which engines may differ. */
import type { Engine, FeedPlace, Operation, Outcome, PageQuery } from "../../src/engine/index.ts";
import { ColloquyError } from "../../src/errors.ts";
import { REMOVED_KIND } from "../../src/message/entry.ts";
import { BRANCHES, CONVERSATIONS, ENTRIES, HASHES, KEYS } from "./random-operations.ts";

/** Some engines remove unused blobs with the entries, others when they erase: so each removal is erased at once. */
export async function committed(engine: Engine, operations: readonly Operation[]): Promise<unknown[]> {
  const outcomes: unknown[] = [];
  for (let rest = operations; rest.length > 0; ) {
    const end = rest.findIndex(({ type }) => REMOVALS.has(type)) + 1 || rest.length;
    const part = await engine.commit(rest.slice(0, end));
    const { blobs } = await engine.erase();
    outcomes.push(...part.map((outcome, index) => comparable(outcome, index === end - 1 ? blobs : 0)));
    rest = rest.slice(end);
  }
  return outcomes;
}

const REMOVALS: ReadonlySet<Operation["type"]> = new Set(["purge", "redact", "sweep", "collect"]);

/** The bytes of removed entries are as stored, only some engines make copies, and the time left of a lease runs. */
function comparable(outcome: Outcome, erased: number): unknown {
  if (!outcome.ok) return { code: outcome.error.code, field: outcome.error.field };
  const { removed, lease, ...rest } = outcome;
  if (removed !== undefined) return { ...rest, entries: removed.entries, blobs: removed.blobs + erased };
  return lease === undefined ? rest : { ...rest, lease: { ...lease, leftMs: lease.leftMs > 0 } };
}

/** The answers to every kind of question. */
export async function everything(engine: Engine, since: FeedPlace): Promise<Record<string, unknown>> {
  const answers: Record<string, unknown> = {};
  const ask = async (name: string, question: () => unknown): Promise<void> => {
    try {
      answers[name] = await question();
    } catch (error) {
      answers[name] = error instanceof ColloquyError ? `${error.code} ${error.field}` : error;
    }
  };
  for (const key of KEYS) await ask(key, () => engine.byKey(key));
  for (const trash of [false, true]) await ask(`list ${trash}`, () => lists(engine, trash));
  for (const id of CONVERSATIONS) {
    await ask(`${id} info`, () => engine.byId(id));
    await ask(`${id} end`, () => engine.logEnd(id));
    await ask(`${id} tip`, () => engine.logEnds([id]));
    await ask(`${id} places`, () => Promise.all(ENTRIES.map((entry) => engine.locate(id, entry))));
    for (const from of [0, 3, 99]) await ask(`${id} turn ${from}`, () => engine.turn(id, from));
    for (const [name, query] of Object.entries(PAGES)) {
      await ask(`${id} ${name}`, () => engine.page({ conversation: id, ...query }));
    }
  }
  for (const hash of HASHES) await ask(hash, () => blobOf(engine, hash));
  await ask("changes", () => feedOf(engine, since));
  await ask("stats", () => figuresOf(engine));
  return answers;
}

const WHOLE = { direction: "forward", from: null, limit: 100, bytesMax: 1e9 } as const;

const PAGES: Readonly<Record<string, Omit<PageQuery, "conversation">>> = {
  ...Object.fromEntries(BRANCHES.map((branch) => [`path of ${branch}`, { ...WHOLE, branch }])),
  path: WHOLE,
  "log backwards": { ...WHOLE, direction: "backward", branch: null },
  "log after 3": { ...WHOLE, from: 3, limit: 2, branch: null },
  "path before 6": { ...WHOLE, direction: "backward", from: 6, limit: 3 },
  messages: { ...WHOLE, kind: "message" },
  "as stored": { ...WHOLE, asStored: true },
};

async function lists(engine: Engine, trash: boolean): Promise<unknown> {
  const all = await engine.list({ trash, limit: 10, after: undefined });
  const filtered = await engine.list({
    trash,
    limit: 10,
    after: undefined,
    filter: { keyPrefix: "web:", title: "a" },
  });
  const [first] = all;
  const after = first && { at: first.lastMessageAt ?? first.createdAt, id: first.id };
  return [all, filtered, await engine.list({ trash, limit: 1, after })];
}

async function blobOf(engine: Engine, hash: string): Promise<unknown> {
  const part = await engine.blob(hash, 3, 5);
  return part && { ...part, data: Buffer.from(part.data).toString() };
}

/** A swept entry may be left out of the feed, or be there without its content. */
async function feedOf(engine: Engine, since: FeedPlace): Promise<unknown> {
  const { changes } = await engine.changes(since, 100_000);
  return changes.filter(({ entry }) => entry?.kind !== REMOVED_KIND).map(({ place: _, ...change }) => change);
}

async function figuresOf(engine: Engine): Promise<unknown> {
  const { conversations, entries, top } = await engine.stats();
  // Random forks name entries that do not exist, which only some engines look for.
  const { findings: _, ok: __, ...verified } = await engine.verify();
  return { verified, conversations, entries, top: top.map(({ messageCount }) => messageCount) };
}
