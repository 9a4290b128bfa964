const ALLOWED: ReadonlySet<string> = new Set(["http:", "https:", "mailto:"]);

/** The whole address if following it is safe. Relative ones are not: they would mean something on this page. */
export function safeLink(address: string): string | undefined {
  if (!URL.canParse(address)) return undefined;
  const url = new URL(address);
  return ALLOWED.has(url.protocol) ? url.href : undefined;
}
