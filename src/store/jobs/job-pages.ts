import type { QueuedJob } from "../../engine/index.ts";
import { invalid } from "../../errors.ts";
import { checkConversationId, checkLabel, checkProperties } from "../../message/validate.ts";
import { parseTime } from "../../util/time.ts";
import { checkCount, type StoreAccess } from "../access.ts";
import { decodeCursor, encodeCursor } from "../read/cursor.ts";
import type { Page } from "../read/listing.ts";

export interface JobQuery {
  /** Exactly this queue. */
  readonly queue?: string;
  /** Queues that begin with this. */
  readonly prefix?: string;
  /** Jobs of this conversation, by its id. */
  readonly conversation?: string;
  /** Page size. Default: 50, at most 10,000. */
  readonly limit?: number;
  /** From the previous page. `null`, as on the last page, returns an empty page. */
  readonly cursor?: string | null;
}

const QUERY_PROPERTIES: ReadonlySet<string> = new Set([
  ...["queue", "prefix", "conversation"],
  ...["limit", "cursor"],
]);
const LIMIT_DEFAULT = 50;
const ITERATED_LIMIT = 1000;

export async function listPage<T>(
  store: StoreAccess,
  query: JobQuery,
  shown: (job: QueuedJob) => T,
): Promise<Page<T>> {
  checkProperties(query, QUERY_PROPERTIES, "query");
  const { queue, prefix, conversation, cursor } = query;
  const limit = checkCount(query.limit ?? LIMIT_DEFAULT, "limit");
  const filter = {
    ...(queue !== undefined && { queue: checkLabel(queue, "queue") }),
    ...(prefix !== undefined && { prefix: checkLabel(prefix, "prefix") }),
    ...(conversation !== undefined && { conversation: checkConversationId(conversation) }),
  };
  const after = typeof cursor === "string" ? placeOf(cursor) : undefined;
  const found = await store.ask((engine) =>
    cursor === null ? [] : engine.jobs({ ...filter, after, limit: limit + 1 }),
  );
  const page = found.slice(0, limit);
  const last = page.at(-1);
  const more = found.length > limit && last !== undefined;
  return { items: page.map(shown), cursor: more ? encodeCursor("j", last.at, last.n) : null };
}

export async function* listJobs<T>(
  store: StoreAccess,
  query: JobQuery,
  first: Promise<Page<T>>,
  shown: (job: QueuedJob) => T,
): AsyncGenerator<T, void, undefined> {
  for (let page = await first; ; ) {
    yield* page.items;
    if (page.cursor === null) return;
    page = await listPage(store, { limit: ITERATED_LIMIT, ...query, cursor: page.cursor }, shown);
  }
}

function placeOf(cursor: string): { at: string; n: number } {
  const [at, n] = decodeCursor("j", cursor, ["string", "number"]) as [string, number];
  if (parseTime(at) === undefined) throw invalid("Invalid cursor", "cursor");
  return { at, n };
}
