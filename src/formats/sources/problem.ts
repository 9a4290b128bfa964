/** Problems of a source, as errors that the import reports before it continues. */
import { ColloquyError } from "../../errors.ts";

export type ProblemKind =
  | "vanished"
  | "unreadable"
  | "no-file"
  | "shrunk"
  | "changed"
  | "damaged"
  | "cut-off"
  | "locked"
  | "open-store"
  | "too-large"
  | "unsupported"
  | "temporary";

export function problem(kind: ProblemKind, message: string, cause?: unknown): ColloquyError {
  return new ColloquyError("SERVICE_UNAVAILABLE", message, { cause, details: { problem: kind } });
}

/** The kind of problem; `undefined` when the error is not a problem of a source. */
export function problemOf(error: unknown): ProblemKind | undefined {
  if (!(error instanceof ColloquyError)) return undefined;
  return error.details?.problem as ProblemKind | undefined;
}

/** Error codes of the operating system in words. */
const REASONS: Readonly<Record<string, string>> = {
  EACCES: "cannot be read: permission denied",
  EPERM: "cannot be read: permission denied",
  ELOOP: "is a symbolic link that leads back to itself",
  EISDIR: "is a folder",
  ENAMETOOLONG: "has a path that is too long",
  ENXIO: "is not a file",
  EMFILE: "cannot be opened: too many files are open",
};

/** Anything that opening or reading a file threw. */
export function fileProblem(error: unknown, path: string): ColloquyError {
  if (problemOf(error) !== undefined) return error as ColloquyError;
  const code = (error as NodeJS.ErrnoException | null)?.code ?? "";
  if (code === "ENOENT" || code === "ENOTDIR") return problem("vanished", `${path} does not exist`, error);
  const reason = REASONS[code] ?? `cannot be read: ${(error as Error).message}`;
  return problem("unreadable", `${path} ${reason}`, error);
}

/** Why something could not be read, without the path, for a list that shows it. */
export function reasonOf(error: unknown, path = ""): string {
  const { message } = fileProblem(error, path);
  return (message.startsWith(`${path} `) ? message.slice(path.length + 1) : message).trimStart();
}
