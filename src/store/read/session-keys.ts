/**
 * Session keys as callers spell them. Every key that a store takes passes
 * through here, so that all spellings of a key mean one conversation.
 */
import type { ConversationInfo } from "../../engine/index.ts";
import { ColloquyError, invalid } from "../../errors.ts";
import { type KeyConfig, resolveKeyPrefix, resolveSessionKey } from "../../key/index.ts";
import { checkKey, checkLabel } from "../../message/validate.ts";
import type { StoreAccess } from "../access.ts";

export class SessionKeys {
  readonly #config: KeyConfig;

  constructor(defaultCountry: string | undefined) {
    this.#config = defaultCountry === undefined ? {} : { session: { defaultCountry } };
  }

  /** The current form of a key. */
  resolve(key: unknown): string {
    const sessionKey = checkKey(key);
    try {
      return resolveSessionKey({ sessionKey, config: this.#config });
    } catch (error) {
      // The caller knows it by the name of its own argument.
      if (error instanceof ColloquyError) throw invalid(error.message, "key");
      throw error;
    }
  }

  resolvePrefix(prefix: unknown): string {
    return resolveKeyPrefix(checkLabel(prefix, "keyPrefix"));
  }

  /** The current form of a key from elsewhere; `null` if it cannot be a key. */
  adopt(key: string | null): string | null {
    try {
      return key === null ? null : this.resolve(key);
    } catch {
      return null;
    }
  }

  /**
   * The forms in which a store may have a key. Earlier versions stored it as it
   * was typed, and such a conversation is found by that spelling until it is renamed.
   */
  forms(key: unknown): readonly string[] {
    const current = this.resolve(key);
    return current === key ? [current] : [key as string, current];
  }
}

/** The conversation that has a key, by any spelling. */
export async function byKey(
  store: Pick<StoreAccess, "keys" | "ask">,
  key: unknown,
): Promise<ConversationInfo | undefined> {
  for (const form of store.keys.forms(key)) {
    const info = await store.ask((engine) => engine.byKey(form));
    if (info !== undefined) return info;
  }
  return undefined;
}
