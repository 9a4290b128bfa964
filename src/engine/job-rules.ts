/** The rules that every engine applies inside its transaction to jobs. */
import { ColloquyError } from "../errors.ts";
import type { JobName, JobsOperation, NewJob } from "./operations.ts";
import type { JobQuery, QueuedJob } from "./queries.ts";
import { notFound } from "./rules.ts";

/** How an engine looks up what a change of jobs refers to. */
export interface JobLookup {
  job(name: JobName): QueuedJob | undefined;
  /** Even in the trash. */
  hasConversation(id: string): boolean;
}

/** What remains to be written. */
export interface JobPlan {
  /** New jobs, and those with other content: these have the `n` of the job they replace. */
  readonly put: readonly (NewJob & { readonly n?: number })[];
  readonly remove: readonly JobName[];
}

/**
 * Decide what a change of jobs does, before any of it is written. Throws
 * `CONFLICT` when an expected job is missing, and `NOT_FOUND` for a job of a
 * conversation that does not exist: a purge would not remove it.
 */
export function planJobs(
  { put, remove, expect }: Pick<JobsOperation, "put" | "remove" | "expect">,
  lookup: JobLookup,
): JobPlan {
  const missing = expect.find((name) => lookup.job(name) === undefined);
  if (missing !== undefined) throw jobMissing(missing);
  for (const { conversation } of put) {
    if (conversation !== null && !lookup.hasConversation(conversation)) throw notFound(conversation);
  }
  return {
    put: put.flatMap((job) => {
      const former = lookup.job(job);
      if (former === undefined) return [job];
      return isSame(job, former) ? [] : [{ ...job, n: former.n }];
    }),
    remove: remove.filter((name) => lookup.job(name) !== undefined),
  };
}

function isSame(a: NewJob, b: NewJob): boolean {
  return a.conversation === b.conversation && a.at === b.at && a.json === b.json;
}

function jobMissing({ queue, id }: JobName): ColloquyError {
  return new ColloquyError("CONFLICT", `There is no job ${id} in ${queue}: another process has finished it`, {
    field: "expect",
    details: { queue, id },
  });
}

/** For engines that have all jobs in memory. */
export function jobPage(all: Iterable<QueuedJob>, query: JobQuery): QueuedJob[] {
  const { after } = query;
  return [...all]
    .filter((job) => passes(job, query) && (after === undefined || compareJobs(after, job) < 0))
    .sort(compareJobs)
    .slice(0, query.limit);
}

function passes(job: QueuedJob, { queue, id, prefix, conversation }: JobQuery): boolean {
  return (
    (queue === undefined || job.queue === queue) &&
    (id === undefined || job.id === id) &&
    (prefix === undefined || job.queue.startsWith(prefix)) &&
    (conversation === undefined || job.conversation === conversation)
  );
}

type Place = Pick<QueuedJob, "at" | "n">;

function compareJobs(a: Place, b: Place): number {
  if (a.at !== b.at) return a.at < b.at ? -1 : 1;
  return a.n - b.n;
}
