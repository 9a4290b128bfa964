import { closeSync, openSync } from "node:fs";

/**
 * Create an empty file for its owner alone, unless it exists. SQLite would
 * make one that everyone can read. An existing file is not even opened:
 * closing any descriptor of a file drops this process's POSIX locks on it.
 */
export function createPrivate(path: string): void {
  try {
    closeSync(openSync(path, "wx", 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}
