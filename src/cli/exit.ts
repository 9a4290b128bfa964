import { ColloquyError, type ErrorOptions } from "../errors.ts";
import type { Surface } from "./terminal/table.ts";

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

/** An error that shows a table to a reader. Programs get the message, which says the same. */
export class ListedError extends ColloquyError {
  /** Instead of the message. */
  readonly heading: string;
  readonly table: (out: Surface) => string[];

  constructor(message: string, options: ErrorOptions, heading: string, table: (out: Surface) => string[]) {
    super("VALIDATION_ERROR", message, options);
    this.heading = heading;
    this.table = table;
  }
}
