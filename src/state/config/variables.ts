/** `${VAR}` in strings. */

const REFERENCE = /\$(\$)?\{([A-Za-z_][A-Za-z0-9_]*)\}/g;
const VARIABLE = /^[A-Z_][A-Z0-9_]*$/;

export interface Expanded {
  readonly text: string;
  readonly used: readonly string[];
  readonly missing: readonly string[];
  /** Names with lower-case letters, which are not replaced. */
  readonly lower: readonly string[];
}

/** Replace `${VAR}`. `$${VAR}` becomes a literal `${VAR}`. */
export function expand(text: string, lookup: (name: string) => string | undefined): Expanded {
  const used: string[] = [];
  const missing: string[] = [];
  const lower: string[] = [];
  const replaced = text.replace(REFERENCE, (whole: string, escaped: string | undefined, name: string) => {
    if (!VARIABLE.test(name)) {
      lower.push(name);
      return whole;
    }
    if (escaped !== undefined) return `\${${name}}`;
    const value = lookup(name);
    (value === undefined ? missing : used).push(name);
    return value ?? whole;
  });
  return { text: replaced, used, missing, lower };
}

/** The variables that a string refers to. */
export function referencesIn(text: string): readonly string[] {
  return text.includes("${") ? expand(text, () => undefined).missing : [];
}
