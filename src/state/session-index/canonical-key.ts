import { type KeyConfig, resolveSessionKey } from "../../key/index.ts";

/** The canonical form of a key that others wrote; `undefined` when it cannot be a key. */
export function canonicalKey(sessionKey: string, config?: KeyConfig, channel?: unknown): string | undefined {
  try {
    return resolveSessionKey({
      sessionKey,
      config,
      channel: typeof channel === "string" ? channel : undefined,
    });
  } catch {
    return undefined;
  }
}

/** The key of a conversation without one that can be used. */
export function recoveredKey(sessionId: string): string {
  return `recovered:${sessionId}`;
}
