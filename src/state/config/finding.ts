import { ColloquyError, withoutTokens } from "../../errors.ts";
import { checkObject } from "../../util/checked-arguments.ts";
import type { Path } from "../json5/nodes.ts";
import { formatPath } from "./config-path.ts";
import type { Place } from "./located.ts";

/** More of one kind are not slips: it is another kind of file. */
export const FINDINGS_MAX = 1000;

/** A problem of the config, or a fact worth knowing. Never contains a value, which may be a secret. */
export interface Finding {
  readonly severity: "error" | "warning" | "info";
  /** Short and stable. */
  readonly code: string;
  /** As `config get` takes it. Empty when the finding is about a file. */
  readonly path: string;
  /** Without the position. */
  readonly message: string;
  readonly file: string | null;
  readonly line: number | null;
  readonly column: number | null;
}

export function finding(
  severity: Finding["severity"],
  code: string,
  message: string,
  path: Path,
  at?: Place,
): Finding {
  const { line = null, column = null, source } = at ?? {};
  // A key may be a token that was pasted into the wrong place.
  const shown = { path: withoutTokens(formatPath(path)), message: withoutTokens(message) };
  return { severity, code, ...shown, file: source?.file ?? null, line, column };
}

/** `file:line:column: message`, as far as the position is known. */
export function findingText(finding: Finding): string {
  checkObject(finding, "finding");
  const { file, line, column, message } = finding;
  if (file === null) return message;
  return line === null ? `${file}: ${message}` : `${file}:${line}:${column}: ${message}`;
}

/** An error that stops loading at once. */
export function stopping(
  code: string,
  message: string,
  at: Omit<Finding, "severity" | "code" | "message">,
  cause?: unknown,
): ColloquyError {
  const found: Finding = { severity: "error", code, message, ...at };
  return configError([found], cause);
}

/** One error for all: the message is that of the first, and `details.findings` holds all of them. */
export function configError(errors: readonly Finding[], cause?: unknown): ColloquyError {
  const [first] = errors as readonly [Finding];
  const more = errors.length === 1 ? "" : ` (and ${errors.length - 1} more: run colloquy config validate)`;
  const { path, file, line, column } = first;
  return new ColloquyError("VALIDATION_ERROR", `${findingText(first)}${more}`, {
    field: path === "" ? "config" : path,
    details: { file, line, column, path, findings: errors },
    cause,
  });
}
