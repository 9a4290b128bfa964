import { isoTime, timeOf } from "../../../util/time.ts";
import { planJobs } from "../../job-rules.ts";
import type { JobName, JobsOperation } from "../../operations.ts";
import type { JobQuery, QueuedJob } from "../../queries.ts";
import type { Statements } from "../statements.ts";
import { isSealed, rowSum } from "../sums.ts";

/** What is still to be done, a row each. */
export class Jobs {
  readonly #sql: Statements;
  readonly #damaged: (problem: string) => void;

  constructor(sql: Statements, damaged: (problem: string) => void) {
    this.#sql = sql;
    this.#damaged = damaged;
  }

  /** Returns how many jobs are other than before. */
  change(operation: Omit<JobsOperation, "type">): number {
    const { put, remove } = planJobs(operation, {
      job: (name) => this.#find(name),
      hasConversation: (id) => this.#sql.conversation.get(id) !== undefined,
    });
    for (const { queue, id } of remove) this.#sql.deleteJob.run(queue, id);
    for (const { queue, id, conversation, at, json, n = this.#nextN() } of put) {
      const columns = [queue, id, conversation, timeOf(at), n, json] as const;
      this.#sql.putJob.run(...columns, rowSum(...columns));
    }
    return put.length + remove.length;
  }

  /** As many as asked for, as long as there are more: a damaged one must not look like the end. */
  page({ queue, id, prefix, conversation, after, limit }: JobQuery): QueuedJob[] {
    const filter = [queue ?? null, id ?? null, prefix ?? null, conversation ?? null] as const;
    const found: QueuedJob[] = [];
    for (let place = after === undefined ? [null, 0] : [timeOf(after.at), after.n]; ; ) {
      const wanted = limit - found.length;
      const rows = this.#sql.jobs.all<JobRow>(...filter, ...place, wanted);
      for (const row of rows) if (this.#isIntact(row)) found.push(toJob(row));
      const last = rows.at(-1);
      if (last === undefined || rows.length < wanted || found.length === limit) return found;
      place = [last[3], last[4]];
    }
  }

  removeOf(conversation: string): void {
    this.#sql.deleteJobsOf.run(conversation);
  }

  /** One that is damaged may be replaced. */
  #find({ queue, id }: JobName): QueuedJob | undefined {
    const row = this.#sql.job.get<JobRow>(queue, id);
    return row === undefined ? undefined : toJob(row);
  }

  #isIntact(row: JobRow): boolean {
    if (isSealed(row)) return true;
    this.#damaged(`job ${row[1]} of ${row[0]} does not match its checksum`);
    return false;
  }

  #nextN(): number {
    const [last] = this.#sql.lastJob.get<[number]>() as [number];
    return last + 1;
  }
}

type JobRow = [
  queue: string,
  id: string,
  conversation: string | null,
  at: number,
  n: number,
  data: string,
  sum: number,
];

function toJob([queue, id, conversation, at, n, json]: JobRow): QueuedJob {
  return { queue, id, conversation, at: isoTime(at), n, json };
}
