import type { DatabaseSync } from "node:sqlite";
import { Worker } from "node:worker_threads";
import { ColloquyError } from "../errors.ts";
import { copyDatabase } from "./copy.ts";

type JobName = "vacuum" | "copy";

/** What takes long and would stop everything else in its thread. */
const JOBS: Readonly<Record<JobName, (database: DatabaseSync, ...args: readonly string[]) => void>> = {
  /** Write the file anew, so that it holds nothing but what is in it. */
  vacuum: (database) => database.exec("VACUUM"),
  copy: (database, to = "", tidy = "") => copyDatabase(database, to, tidy),
};

/** What a thread is told. */
export interface JobRequest {
  readonly path: string;
  readonly waitMs: number;
  readonly job: JobName;
  readonly args: readonly string[];
}

/** What it answers: nothing, or what SQLite or the system threw. */
export type JobReply = { readonly message: string; readonly members: Partial<ColloquyError> } | undefined;

/** Do a job on a connection of its own, in a thread of its own. */
export async function runInThread(request: JobRequest): Promise<void> {
  // The same file name in the sources and, compiled, in the package.
  const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
  const worker = new Worker(new URL(`./background-thread.${extension}`, import.meta.url), {
    workerData: request,
  });
  const failure = await new Promise<JobReply>((resolve, reject) => {
    worker.once("message", resolve);
    worker.once("error", reject);
    worker.once("exit", (code) => reject(new Error(`The thread ended with ${code}`)));
  });
  await worker.terminate();
  if (failure !== undefined) throw revived(failure);
}

function revived({ message, members }: NonNullable<JobReply>): Error {
  const { name, code, field } = members;
  if (name !== "ColloquyError" || code === undefined) return Object.assign(new Error(message), members);
  return new ColloquyError(code, message, field === undefined ? {} : { field });
}

/** On the connection itself, where no other one can be opened. */
export function runInline(database: DatabaseSync, { job, args }: Pick<JobRequest, "job" | "args">): void {
  JOBS[job](database, ...args);
}
