/** How much of a secret may be shown. */

const SHOWN = 4;
const LENGTH_MIN = 12;

/** The last four characters, or none if four would reveal too much of a short value. */
export function maskSecret(value: string): string {
  return value.length < LENGTH_MIN ? "…" : `…${value.slice(-SHOWN)}`;
}

/** A text from elsewhere with the given secrets masked. */
export function maskSecretsIn(text: string, secrets: readonly (string | undefined)[]): string {
  return secrets
    .filter((secret) => secret !== undefined && secret.length > 0)
    .reduce<string>(
      (clean, secret) => clean.replaceAll(secret as string, maskSecret(secret as string)),
      text,
    );
}
