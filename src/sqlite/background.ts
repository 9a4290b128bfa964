import type { DatabaseSync } from "node:sqlite";
import { Worker } from "node:worker_threads";
import { ColloquyError } from "../errors.ts";
import { copyDatabase } from "./copy.ts";

type JobName = "copy";

/** Jobs that take long and would block everything else in their thread. */
const JOBS: Readonly<Record<JobName, (database: DatabaseSync, ...args: readonly string[]) => void>> = {
  copy: (database, to = "", tidy = "") => copyDatabase(database, to, tidy),
};

/** The job, as it is passed to the thread. */
export interface JobRequest {
  readonly path: string;
  readonly waitMs: number;
  readonly job: JobName;
  readonly args: readonly string[];
}

/** The reply: nothing, or the error of SQLite or the system. */
export type JobReply = { readonly message: string; readonly members: Partial<ColloquyError> } | undefined;

/** Run a job in a new thread, on a new connection. */
export async function runInThread(request: JobRequest): Promise<void> {
  // The same file name in the sources and, compiled, in the package.
  const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
  const worker = new Worker(new URL(`./background-thread.${extension}`, import.meta.url), {
    workerData: request,
  });
  const failure = await new Promise<JobReply>((resolve, reject) => {
    worker.once("message", resolve);
    worker.once("error", reject);
    worker.once("exit", (code) => reject(new Error(`The thread exited with code ${code}`)));
  });
  await worker.terminate();
  if (failure !== undefined) throw revived(failure);
}

function revived({ message, members }: NonNullable<JobReply>): Error {
  const { name, code, field } = members;
  if (name !== "ColloquyError" || code === undefined) return Object.assign(new Error(message), members);
  return new ColloquyError(code, message, field === undefined ? {} : { field });
}

/** Run a job on this connection, for files that no second connection can open. */
export function runInline(database: DatabaseSync, { job, args }: Pick<JobRequest, "job" | "args">): void {
  JOBS[job](database, ...args);
}
