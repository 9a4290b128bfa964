import { ColloquyError } from "../errors.ts";

/** Exit codes. */
export const EXIT_DONE = 0;
export const EXIT_FAILED = 1;
export const EXIT_USAGE = 2;
export const EXIT_PROBLEMS = 3;

/** A command line that cannot be parsed. The command exits with `EXIT_USAGE`. */
export class UsageError extends ColloquyError {
  constructor(message: string, field: string) {
    super("VALIDATION_ERROR", message, { field });
  }
}
