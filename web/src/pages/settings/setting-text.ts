/** A value of the config as text for a field, and back. */

/** Text as it is, everything else as JSON. */
export function valueText(value: unknown): string {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

/**
 * What was typed, as a value. A text stays a text where the value was one; elsewhere JSON is tried first, so that
 * `true` and `8000` are what they look like.
 */
export function parseValue(text: string, before: unknown): unknown {
  if (typeof before === "string") return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
