/** The closed list of error codes. Callers branch on these, never on the text of a message. */
export type ErrorCode =
  | "VALIDATION_ERROR"
  | "NOT_FOUND"
  | "CONFLICT"
  | "UNAUTHORIZED"
  | "FORBIDDEN"
  | "RATE_LIMITED"
  | "NETWORK_ERROR"
  | "NOT_SUPPORTED"
  | "SERVICE_UNAVAILABLE"
  | "INTERNAL_ERROR";

export interface ErrorOptions {
  /** The invalid argument or property, for `VALIDATION_ERROR`. */
  readonly field?: string;
  /** A few plain values that help a program to react, such as the actual head of a moved branch. */
  readonly details?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
}

/** The one class of error that Colloquy throws on purpose. Its message repeats no token, whatever it quotes. */
export class ColloquyError extends Error {
  readonly code: ErrorCode;
  readonly field: string | undefined;
  readonly details: Readonly<Record<string, unknown>> | undefined;

  constructor(code: ErrorCode, message: string, options: ErrorOptions = {}) {
    super(withoutTokens(message), options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "ColloquyError";
    this.code = code;
    this.field = options.field === undefined ? undefined : withoutTokens(options.field);
    this.details = options.details;
  }

  toJSON(): { code: ErrorCode; message: string; field: string | null } {
    return { code: this.code, message: this.message, field: this.field ?? null };
  }
}

/** Wrong arguments, found before anything was read or written. */
export function invalid(message: string, field: string, details?: Record<string, unknown>): ColloquyError {
  return new ColloquyError("VALIDATION_ERROR", message, { field, details });
}

/** What the operating system refused: full, read-only, locked, failing. */
export function unavailable(message: string, options: ErrorOptions = {}): ColloquyError {
  return new ColloquyError("SERVICE_UNAVAILABLE", message, options);
}

/** Anything thrown, as a `ColloquyError`: ours unchanged, the rest wrapped so that nothing untyped escapes. */
export function asColloquyError(error: unknown, doing: string): ColloquyError {
  if (error instanceof ColloquyError) return error;
  const reason = error instanceof Error ? error.message : String(error);
  const fromSystem = typeof (error as NodeJS.ErrnoException | null)?.syscall === "string";
  return new ColloquyError(fromSystem ? "SERVICE_UNAVAILABLE" : "INTERNAL_ERROR", `${doing}: ${reason}`, {
    cause: error,
  });
}

/** How the tokens of well-known services begin. */
const BEGINNINGS =
  "sk-|sk_|pk_|rk_|AIza|ghp_|gho_|github_pat_|glpat-|xox[a-z]-|xai-|AKIA|ASIA|eyJ|gsk_|hf_|r8_|ya29\\.|Bearer\\s";

export const TOKEN_START: RegExp = new RegExp(`^(?:${BEGINNINGS})`);
const TOKEN = new RegExp(`(?<![A-Za-z0-9])(?:${BEGINNINGS})[A-Za-z0-9_.-]{16,}`, "g");

/** A text in which such a token is cut to its last four characters, wherever it came from. */
export function withoutTokens(text: string): string {
  return text.replace(TOKEN, (token) => `…${token.slice(-4)}`);
}
