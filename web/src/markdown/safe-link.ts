const ALLOWED: ReadonlySet<string> = new Set(["http:", "https:", "mailto:"]);

/** A message of a conversation: reading it changes nothing. */
const MESSAGE = /^#\/c\/[0-9a-f-]+\/(?!\.|%2e)[\w%.~!*'-]+$/i;

/**
 * The whole address if following it is safe. Relative ones are not, because they would mean something on this page,
 * except those of messages, which answers cite.
 */
export function safeLink(address: string): string | undefined {
  if (isMessageLink(address)) return address;
  if (!URL.canParse(address)) return undefined;
  const url = new URL(address);
  return ALLOWED.has(url.protocol) ? url.href : undefined;
}

export function isMessageLink(address: string): boolean {
  return MESSAGE.test(address);
}
