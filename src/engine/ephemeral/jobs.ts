import { jobPage, planJobs } from "../job-rules.ts";
import type { JobName, JobsOperation } from "../operations.ts";
import type { JobQuery, QueuedJob } from "../queries.ts";

/** What is still to be done. */
export class Jobs {
  readonly #jobs = new Map<string, QueuedJob>();
  #last = 0;

  /** Returns how many jobs are other than before. */
  change(operation: Omit<JobsOperation, "type">, hasConversation: (id: string) => boolean): number {
    const { put, remove } = planJobs(operation, {
      job: (name) => this.#jobs.get(keyOf(name)),
      hasConversation,
    });
    for (const name of remove) this.#jobs.delete(keyOf(name));
    for (const job of put) this.#jobs.set(keyOf(job), { ...job, n: job.n ?? ++this.#last });
    return put.length + remove.length;
  }

  page(query: JobQuery): QueuedJob[] {
    return jobPage(this.#jobs.values(), query);
  }

  removeOf(conversation: string): void {
    for (const [key, job] of this.#jobs) if (job.conversation === conversation) this.#jobs.delete(key);
  }
}

/** Names have no NUL. */
function keyOf({ queue, id }: JobName): string {
  return `${queue}\0${id}`;
}
