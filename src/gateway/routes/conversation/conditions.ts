/** Headers that make a write safe to repeat, or dependent on what is there. */
import { ColloquyError, invalid } from "../../../errors.ts";
import { HttpError } from "../../http/http-error.ts";
import type { Incoming } from "../../http/incoming.ts";

export const IDEMPOTENCY: Readonly<Record<string, string>> = {
  "Idempotency-Key": "A retry with the same key changes nothing and returns what was written first",
};
export const CONDITIONS: Readonly<Record<string, string>> = {
  "If-Match":
    'The entry that must be the head, in quotes; `""` for none. With any other head, nothing is written (412)',
};

export function operationIdOf(request: Pick<Incoming, "header">): string | undefined {
  return request.header("idempotency-key");
}

/** Ids are percent-encoded in headers, because they can contain any letter. */
export function etagOf(head: string): string {
  return `"${encodeURIComponent(head)}"`;
}

/** Work that depends on the head that the request names, if it names one. Another head is a 412. */
export async function ifMatched<T>(
  request: Pick<Incoming, "header">,
  work: (expectedHead: string | null | undefined) => Promise<T>,
): Promise<T> {
  try {
    return await work(expectedHeadOf(request));
  } catch (error) {
    if (!(error instanceof ColloquyError && error.field === "expectedHead")) throw error;
    throw new HttpError(412, error.code, error.message, { field: "If-Match", cause: error });
  }
}

function expectedHeadOf(request: Pick<Incoming, "header">): string | null | undefined {
  const value = request.header("if-match");
  if (value === undefined) return undefined;
  const quoted = /^"([^"]*)"$/.exec(value)?.[1];
  if (quoted === undefined)
    throw invalid('If-Match must be the id of one entry in quotes, or ""', "If-Match");
  return quoted === "" ? null : decoded(quoted);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw invalid("If-Match is not percent-encoded correctly", "If-Match");
  }
}
