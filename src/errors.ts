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

/** The one class of error that Colloquy throws on purpose. It repeats no token, whatever it quotes or wraps. */
export class ColloquyError extends Error {
  readonly code: ErrorCode;
  readonly field: string | undefined;
  readonly details: Readonly<Record<string, unknown>> | undefined;

  constructor(code: ErrorCode, message: string, options: ErrorOptions = {}) {
    super(withoutTokens(message), options.cause === undefined ? undefined : { cause: masked(options.cause) });
    this.name = "ColloquyError";
    this.code = code;
    this.field = options.field === undefined ? undefined : withoutTokens(options.field);
    this.details = masked(options.details);
  }

  toJSON(): { code: ErrorCode; message: string; field: string | null } {
    return { code: this.code, message: this.message, field: this.field ?? null };
  }
}

/** Wrong arguments, found before anything was read or written. */
export function invalid(message: string, field: string, details?: Record<string, unknown>): ColloquyError {
  return new ColloquyError("VALIDATION_ERROR", message, { field, details });
}

/** Who asks has not shown who they are, or no longer may. */
export function unauthorized(message: string): ColloquyError {
  return new ColloquyError("UNAUTHORIZED", message);
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
  "sk-|sk_|pk_|rk_|AIza|ghp_|gho_|github_pat_|glpat-|xox[a-z]-|xai-|AKIA|ASIA|eyJ|gsk_|hf_|r8_|ya29\\.|cq[trlwd]_|Bearer\\s";

export const TOKEN_START: RegExp = new RegExp(`^(?:${BEGINNINGS})`);
const TOKEN = new RegExp(`(?<![A-Za-z0-9])(?:${BEGINNINGS})[A-Za-z0-9_.-]{16,}`, "g");

/** A text in which such a token is cut to its last four characters, wherever it came from. */
export function withoutTokens(text: string): string {
  return text.replace(TOKEN, (token) => `…${token.slice(-4)}`);
}

/** The same value if it contains no token, or else a copy in which they are cut. A cause keeps its kind and its code. */
function masked<T>(value: T): T {
  return hasToken(value, new Set()) ? (copyOf(value, new Map()) as T) : value;
}

function hasToken(value: unknown, seen: Set<object>): boolean {
  if (typeof value === "string") return withoutTokens(value) !== value;
  if (typeof value !== "object" || value === null || seen.has(value)) return false;
  seen.add(value);
  return partsOf(value).some(([name, part]) => hasToken(name, seen) || hasToken(part, seen));
}

function copyOf(value: unknown, copies: Map<object, object>): unknown {
  if (typeof value === "string") return withoutTokens(value);
  if (typeof value !== "object" || value === null || !isCopied(value)) return value;
  const known = copies.get(value);
  if (known !== undefined) return known;
  const copy = emptyLike(value);
  copies.set(value, copy);
  for (const [name, part, enumerable] of partsOf(value)) {
    const own = { value: copyOf(part, copies), enumerable, writable: true, configurable: true };
    Object.defineProperty(copy, withoutTokens(name), own);
  }
  return copy;
}

function emptyLike(value: object): object {
  if (Array.isArray(value)) return [];
  return Object.setPrototypeOf(value instanceof Error ? new Error() : {}, Object.getPrototypeOf(value));
}

function partsOf(value: object): [name: string, part: unknown, enumerable: boolean][] {
  if (!isCopied(value)) return [];
  // The message and the stack of an error are not enumerable.
  const names = value instanceof Error ? Object.getOwnPropertyNames(value) : Object.keys(value);
  return names.map((name) => [
    name,
    (value as Readonly<Record<string, unknown>>)[name],
    Object.prototype.propertyIsEnumerable.call(value, name),
  ]);
}

/** Errors, lists and plain objects. Others, such as a date or a socket, are left alone. */
function isCopied(value: object): boolean {
  if (Array.isArray(value) || value instanceof Error) return true;
  const prototype = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}
