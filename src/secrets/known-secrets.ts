/** The secrets that this process uses, so that every redaction removes them, wherever they are repeated. */

/** Tokens are renewed for as long as a process runs: the oldest are forgotten. */
const KNOWN_MAX = 1000;
/** Nothing shorter can be told from a word. */
const CHARS_MIN = 8;

const known = new Set<string>();
let forms: readonly string[] | undefined;

/** From now on, `redactSecrets` removes these values. */
export function rememberSecrets(values: Iterable<string>): void {
  for (const value of values) {
    if (value.length < CHARS_MIN) continue;
    if (known.delete(value)) {
      known.add(value);
      continue;
    }
    forms = undefined;
    known.add(value);
    if (known.size > KNOWN_MAX) known.delete(known.values().next().value as string);
  }
}

/** These values and the given ones, in every form that is looked for. Longest first: one may contain another. */
export function knownForms(given: readonly string[]): readonly string[] {
  // Made once for many texts.
  forms ??= formsOf(known);
  return given.length === 0 ? forms : longestFirst([...forms, ...formsOf(given)]);
}

const GIVEN_CHARS_MIN = 4;

/** A value as given, and as written in JSON, URLs and base64. */
function formsOf(values: Iterable<string>): string[] {
  const all = [...values]
    .filter((value) => value.length >= GIVEN_CHARS_MIN)
    .flatMap((value) => [
      value,
      JSON.stringify(value).slice(1, -1),
      encodeURIComponent(value.toWellFormed()),
      Buffer.from(value).toString("base64"),
    ]);
  return longestFirst(all);
}

function longestFirst(forms: readonly string[]): string[] {
  return [...new Set(forms)].sort((a, b) => b.length - a.length);
}
