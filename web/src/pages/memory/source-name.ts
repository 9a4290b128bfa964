/** A note without a name is called by an id, which means nothing to people. */
const UNNAMED = /^note:[\da-f]{8}-[\da-f-]{27}$/;

export function sourceName(source: string): string {
  return isUnnamed(source) ? "Note" : source;
}

export function isUnnamed(source: string): boolean {
  return UNNAMED.test(source);
}
