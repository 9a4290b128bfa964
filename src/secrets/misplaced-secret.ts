/** Secrets given where a name belongs, such as an API key in place of a provider. */
import { invalid } from "../errors.ts";

const KNOWN_SHAPES =
  /^(sk-|sk_|pk_|rk_|AIza|ghp_|gho_|github_pat_|glpat-|xox[a-z]-|AKIA|ASIA|eyJ|gsk_|hf_|r8_|ya29\.|Bearer\s)/;
const LONG = 24;

/**
 * Whether a word is probably a secret in the wrong place.
 *
 * Such a word is never repeated in an error, and never stored as a name.
 */
export function looksLikeSecret(word: string): boolean {
  if (KNOWN_SHAPES.test(word)) return true;
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
