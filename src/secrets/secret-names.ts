/** Names that suggest a secret: keys of objects, variables, options. */

const SECRET_NAME =
  /(?:token|secret|passwo?r?d|passphrase|pass|key|credential|authorization|cookie|bearer|header)s?$/i;
/** Only as a separate word: `spin` is not a secret. */
const PIN_NAME = /(?:(?:^|[-_])pin|(?:^|[-_a-z\d])Pin|PIN)s?$/;
/** Keys that open nothing. */
const OPEN_NAME =
  /(?:public|session|main|group|thread|cache|sort|primary|foreign|partition|idempotency|hot|shortcut|mon|don|tur|whis)[-_]?keys?$/i;

/** Whether the key of an object names a secret. */
export function isSecretName(key: string): boolean {
  return (SECRET_NAME.test(key) && !OPEN_NAME.test(key)) || PIN_NAME.test(key);
}

const VARIABLE_NAME = /(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASS|CREDENTIAL|COOKIE|AUTH)S?$/i;

/** The values of all variables whose names sound secret, except those too short to be told from a word. */
export function secretsIn(env: Readonly<Record<string, string | undefined>>, charsMin: number): string[] {
  return Object.entries(env).flatMap(([name, value]) =>
    VARIABLE_NAME.test(name) && value !== undefined && value.length >= charsMin ? [value] : [],
  );
}

const COUNT_NAME = /[a-z\d][-_]?tokens$/i;
const COUNT_MAX = 1e9;

/** `maxTokens: 5` is a number of tokens and not a secret. */
export function isTokenCount(key: string, value: number): boolean {
  return COUNT_NAME.test(key) && Math.abs(value) < COUNT_MAX;
}

/** The source of a pattern for such names within prose and code, where endings say less: `TOKEN_PROD=…`. */
export const SECRET_WORDS =
  "(?:pass(?:word|wd|phrase|code)|pwd|secret|token(?!i[sz])|api[_-]?key|access[_-]?key|auth[_-]?key|private[_-]?key|encryption[_-]?key|signing[_-]?key|credential)";
