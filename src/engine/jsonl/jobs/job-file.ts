/**
 * What is still to be done, in one small file: a line that says how many jobs
 * follow, and a line for each, all with checksums.
 *
 * It is read on every use and replaced by every change, under the lock: there
 * are few jobs, and no cache can be out of date.
 */
import { join } from "node:path";
import type { FileIo } from "../../../disk/file-io.ts";
import { readChunk } from "../../../disk/line-scan.ts";
import { freeName, replaceFile } from "../../../disk/replace-file.ts";
import { withExistingFile } from "../../../disk/with-file.ts";
import { checkSum, sealObject } from "../../../transcript/lines.ts";
import { type Clock, timestamp17 } from "../../../util/time.ts";
import type { Random } from "../../../util/uuid.ts";
import { jobPage, planJobs } from "../../job-rules.ts";
import type { JobName, JobsOperation } from "../../operations.ts";
import type { JobQuery, QueuedJob } from "../../queries.ts";
import { JOBS_FILE } from "../folder/names.ts";

export interface JobFileOptions {
  readonly io: FileIo;
  readonly random: Random;
  readonly nowMs: Clock;
  readonly folder: string;
  readonly durable: boolean;
  readonly problems: { report(place: string, message: string): void };
}

/** What the file holds. */
interface Content {
  readonly jobs: readonly QueuedJob[];
  /** The highest `n` so far. */
  readonly last: number;
  /** The numbers of lines that cannot be read, or line 1 if lines are missing. */
  readonly bad: readonly number[];
}

const NOTHING: Content = { jobs: [], last: 0, bad: [] };

export class JobFile {
  readonly path: string;
  readonly #options: JobFileOptions;

  constructor(options: JobFileOptions) {
    this.#options = options;
    this.path = join(options.folder, JOBS_FILE);
  }

  /** Returns how many jobs are other than before. */
  change(operation: Omit<JobsOperation, "type">, hasConversation: (id: string) => boolean): number {
    const content = this.#read();
    const jobs = new Map(content.jobs.map((job) => [keyOf(job), job]));
    const plan = planJobs(operation, { job: (name) => jobs.get(keyOf(name)), hasConversation });
    const changed = plan.put.length + plan.remove.length;
    if (changed === 0) return 0;
    let { last } = content;
    for (const name of plan.remove) jobs.delete(keyOf(name));
    for (const job of plan.put) jobs.set(keyOf(job), { ...job, n: job.n ?? ++last });
    this.#write({ jobs: [...jobs.values()], last, bad: content.bad });
    return changed;
  }

  page(query: JobQuery): QueuedJob[] {
    return jobPage(this.all(), query);
  }

  all(): readonly QueuedJob[] {
    return this.#read().jobs;
  }

  removeOf(conversation: string): void {
    const content = this.#read();
    const jobs = content.jobs.filter((job) => job.conversation !== conversation);
    if (jobs.length < content.jobs.length) this.#write({ ...content, jobs });
  }

  /** The numbers of lines that cannot be read. */
  unreadable(): readonly number[] {
    return this.#parse().bad;
  }

  /** Keep only jobs that can be read and pass. Returns where the former file is, if it was damaged. */
  rewrite(isKept: (job: QueuedJob) => boolean): string | undefined {
    const content = this.#parse();
    return this.#write({ ...content, jobs: content.jobs.filter(isKept) });
  }

  #read(): Content {
    const content = this.#parse();
    if (content.bad.length > 0) {
      const { problems } = this.#options;
      problems.report(this.path, `${this.path}: line ${content.bad[0]} is damaged. Jobs may be missing`);
    }
    return content;
  }

  #write({ jobs, last, bad }: Content): string | undefined {
    const { io, random, nowMs, durable: sync } = this.#options;
    const aside = bad.length === 0 ? undefined : freeName(io, `${this.path}.bad-${timestamp17(nowMs())}`);
    const content = encodeJobs(jobs, last);
    replaceFile(this.path, content, { io, random, sync, ...(aside !== undefined && { formerAs: aside }) });
    return aside;
  }

  #parse(): Content {
    const { io } = this.#options;
    const bytes = withExistingFile(io, this.path, (file) => readChunk(io, file, 0, io.statOpen(file).size));
    return bytes === undefined ? NOTHING : decode(bytes);
  }
}

export function encodeJobs(jobs: readonly QueuedJob[], last: number): Buffer {
  const lines = jobs.map(({ json, ...job }) => sealObject({ ...job, data: JSON.parse(json) }));
  return Buffer.concat([sealObject({ jobs: jobs.length, last }), ...lines]);
}

function decode(bytes: Buffer): Content {
  const [header, ...lines] = bytes.toString("latin1").split("\n").map(parsed);
  // What follows the last newline is not a line.
  const isCut = lines.pop() !== undefined || !bytes.toString("latin1").endsWith("\n");
  const bad = lines.flatMap((line, index) => (isJob(line) ? [] : [index + 2]));
  const jobs = lines.flatMap((line) => (isJob(line) ? [toJob(line)] : []));
  const isWhole = !isCut && header?.jobs === lines.length;
  const last = jobs.reduce((highest, { n }) => Math.max(highest, n), Number(header?.last ?? 0));
  return { jobs, last, bad: isWhole || bad.length > 0 ? bad : [1] };
}

type Line = Record<string, unknown>;

function parsed(latin1: string): Line | undefined {
  const line = Buffer.from(latin1, "latin1");
  return checkSum(line) === "right" ? JSON.parse(line.toString("utf8")) : undefined;
}

function isJob(line: Line | undefined): line is Line & { readonly data: object } {
  return line !== undefined && typeof line.queue === "string" && typeof line.data === "object";
}

function toJob({ data, _sum, ...job }: Line & { readonly data: object }): QueuedJob {
  return { ...(job as Omit<QueuedJob, "json"> & Line), json: JSON.stringify(data) };
}

/** Names have no NUL. */
function keyOf({ queue, id }: JobName): string {
  return `${queue}\0${id}`;
}
