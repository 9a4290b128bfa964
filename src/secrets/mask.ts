/** How much of a secret may be seen. */

const SHOWN = 4;
const LENGTH_MIN = 12;

/** The last four characters; nothing of a value so short that four of them would give it away. */
export function maskSecret(value: string): string {
  return value.length < LENGTH_MIN ? "…" : `…${value.slice(-SHOWN)}`;
}

const KNOWN_SHAPES =
  /^(sk-|sk_|pk_|rk_|AIza|ghp_|gho_|github_pat_|glpat-|xox[a-z]-|AKIA|ASIA|eyJ|gsk_|hf_|r8_|ya29\.|Bearer\s)/;
const LONG = 24;

/**
 * Whether a word on the command line is probably a secret in the wrong place.
 *
 * Such a word is never repeated in an error, and never stored as a name.
 */
export function looksLikeSecret(text: string): boolean {
  if (KNOWN_SHAPES.test(text)) return true;
  return text.length >= LONG && /\d/.test(text) && /[a-z]/i.test(text) && !/[:@./\s]/.test(text);
}

/** A text of somebody else, without the secrets that may be in it. */
export function withoutSecrets(text: string, secrets: readonly (string | undefined)[]): string {
  return secrets
    .filter((secret) => secret !== undefined && secret.length > 0)
    .reduce<string>(
      (clean, secret) => clean.replaceAll(secret as string, maskSecret(secret as string)),
      text,
    );
}
