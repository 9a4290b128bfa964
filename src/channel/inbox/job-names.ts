import { ColloquyError } from "../../errors.ts";
import type { JobName } from "../../store/jobs/jobs.ts";

/** The name of a job, without the rest of it. */
export function nameOf({ queue, id }: JobName): JobName {
  return { queue, id };
}

/** Another process has finished the job, or a command has removed it. */
export function isGone(error: unknown): boolean {
  return error instanceof ColloquyError && error.code === "CONFLICT" && error.field === "expect";
}
