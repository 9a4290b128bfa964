/**
 * Things that are still to be done, and survive a kill.
 *
 * A job says what is to be done. It names the conversation and the entry that hold the words of a message; only a
 * message that is not in the log yet has its words here.
 */
import type { JobName, JobsOperation, NewJob, QueuedJob } from "../../engine/index.ts";
import { invalid } from "../../errors.ts";
import { checkConversationId, checkLabel, checkProperties } from "../../message/validate.ts";
import { assertJson, isPlainObject, type JsonObject } from "../../util/json.ts";
import { isoTime } from "../../util/time.ts";
import { checkTime, type StoreAccess } from "../access.ts";
import { type Listing, listing } from "../read/listing.ts";
import { type JobQuery, listJobs, listPage } from "./job-pages.ts";

export type { JobName } from "../../engine/index.ts";

/** Something that is still to be done. Its name is `queue` and `id`. */
export interface Job extends JobName {
  /** It is removed together with this conversation. */
  readonly conversation: string | null;
  /** When it is due, or was put: jobs are listed in this order. */
  readonly at: string;
  readonly data: JsonObject;
}

export interface JobInput extends JobName {
  /** Default: `null`. */
  readonly conversation?: string | null;
  /** Default: now. */
  readonly at?: string;
  /** At most 64 KB as JSON. Default: `{}`. */
  readonly data?: JsonObject;
}

export interface JobChange {
  /** A job with the same name is replaced. */
  readonly put?: readonly JobInput[];
  /** Those that do not exist are passed over. */
  readonly remove?: readonly JobName[];
  /** `CONFLICT`, and no change, unless all of these exist. */
  readonly expect?: readonly JobName[];
}

/** The jobs of a store. */
export class Jobs {
  readonly #store: StoreAccess;

  constructor(store: StoreAccess) {
    this.#store = store;
  }

  /**
   * Put and remove jobs in one atomic, durable write. Returns how many jobs are other than before: a change that
   * is repeated changes none.
   */
  async change(change: JobChange): Promise<{ readonly changed: number }> {
    const operation = checkChange(change, this.#store.nowMs());
    this.#store.assertWritable();
    return { changed: await this.#store.queue.push(operation) };
  }

  /** Jobs in the order of their time, then in the order in which they were put: await a page, or iterate over all. */
  list(query: JobQuery = {}): Listing<Job> {
    const first = listPage(this.#store, query, toJob);
    return listing(first, () => listJobs(this.#store, query, first, toJob));
  }

  async get(queue: string, id: string): Promise<Job | undefined> {
    const name = checkJobName({ queue, id });
    const [found] = await this.#store.ask((engine) => engine.jobs({ ...name, limit: 1 }));
    return found === undefined ? undefined : toJob(found);
  }
}

function toJob({ queue, id, conversation, at, json }: QueuedJob): Job {
  return { queue, id, conversation, at, data: JSON.parse(json) };
}

const CHANGE_PROPERTIES: ReadonlySet<string> = new Set(["put", "remove", "expect"]);
const JOB_PROPERTIES: ReadonlySet<string> = new Set(["queue", "id", "conversation", "at", "data"]);
const NAME_PROPERTIES: ReadonlySet<string> = new Set(["queue", "id"]);
const JOBS_MAX = 1000;
const DATA_BYTES_MAX = 64 * 1024;

function checkChange(change: JobChange, nowMs: number): JobsOperation {
  checkProperties(change, CHANGE_PROPERTIES, "change");
  const put = checkJobs(change.put ?? [], "put", nowMs);
  const remove = checkList(change.remove ?? [], "remove").map(checkJobName);
  const expect = checkList(change.expect ?? [], "expect").map(checkJobName);
  checkDistinct([...put, ...remove]);
  return { type: "jobs", put, remove, expect };
}

/** Jobs of a caller, as engines store them. */
function checkJobs(jobs: unknown, field: string, nowMs: number): NewJob[] {
  return checkList(jobs, field).map((job) => {
    checkProperties(job, JOB_PROPERTIES, field);
    const { queue, id, conversation = null, at, data = {} } = job as JobInput;
    return {
      ...checkJobName({ queue, id }),
      conversation: conversation === null ? null : checkConversationId(conversation),
      at: at === undefined ? isoTime(nowMs) : checkTime(at, "at"),
      json: checkData(data),
    };
  });
}

/** Jobs that an append puts: all of its conversation. */
export function jobsOf(jobs: unknown, conversation: string, nowMs: number): NewJob[] {
  const checked = checkJobs(jobs, "jobs", nowMs);
  checkDistinct(checked);
  return checked.map((job) => ({ ...job, conversation }));
}

function checkList(list: unknown, field: string): readonly unknown[] {
  if (!Array.isArray(list)) throw invalid(`${field} must be an array`, field);
  if (list.length > JOBS_MAX) throw invalid(`${field} can have at most ${JOBS_MAX} jobs`, field);
  return list;
}

function checkJobName(name: unknown): JobName {
  checkProperties(name, NAME_PROPERTIES, "name");
  const { queue, id } = name as Partial<JobName>;
  return { queue: checkLabel(queue, "queue"), id: checkLabel(id, "id") };
}

function checkData(data: unknown): string {
  if (!isPlainObject(data)) throw invalid("data must be an object", "data");
  assertJson(data, "data");
  const json = JSON.stringify(data);
  if (Buffer.byteLength(json) > DATA_BYTES_MAX) {
    throw invalid(`data can have at most ${DATA_BYTES_MAX} bytes`, "data");
  }
  return json;
}

function checkDistinct(names: readonly JobName[]): void {
  const keys = new Set(names.map(({ queue, id }) => `${queue}\0${id}`));
  if (keys.size < names.length) throw invalid("One change names the same job twice", "id");
}
