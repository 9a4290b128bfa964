/** Secrets given where a name belongs, such as an API key in place of a provider. */
import { invalid, TOKEN_START } from "../errors.ts";

const LONG = 24;

/**
 * Whether a word is probably a secret in the wrong place.
 *
 * Such a word is never repeated in an error, and never stored as a name.
 */
export function looksLikeSecret(word: string): boolean {
  if (TOKEN_START.test(word)) return true;
  return word.length >= LONG && /\d/.test(word) && /[a-z]/i.test(word) && !/[:@./\s]/.test(word);
}

/** Refuse such a word without repeating it. `expected` names the right value: `the provider`. */
export function refuseSecret(word: string, expected: string, field: string): void {
  if (!looksLikeSecret(word)) return;
  throw invalid(
    `The value for ${expected} looks like a secret. Others can see command-line arguments: consider it leaked, and create a new one`,
    field,
  );
}
