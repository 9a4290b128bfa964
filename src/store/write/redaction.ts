/** Removes secrets before a message is stored, where the owner of a store wants that. */
import { invalid } from "../../errors.ts";
import { ValueRedaction } from "../../secrets/value-redaction.ts";
import { checkStrings } from "../../util/checked-arguments.ts";

/** What the parts of a store that write use. */
export interface Redaction {
  /** Any value, with the same properties. */
  value<T>(value: T): T;
  /** The part of a text that can be stored while it is still streamed. */
  streamed(text: string): string;
}

/** `undefined`: messages are stored as they are. */
export function redactionFor(redact: unknown): Redaction | undefined {
  if (redact === undefined || redact === false) return undefined;
  if (redact !== true) {
    if (!Array.isArray(redact)) throw invalid("redact must be true or a list of values", "redact");
    checkStrings(redact, "redact");
  }
  const known: readonly string[] = redact === true ? [] : redact;
  return {
    value: (value) => new ValueRedaction(known).value(value),
    // A secret may be half here; none that is known by its shape goes beyond the line it began in, except private
    // keys, which are recognised by their first line.
    streamed: (text) => {
      const clean = new ValueRedaction(known).text(text);
      return clean.slice(0, clean.lastIndexOf("\n") + 1);
    },
  };
}
