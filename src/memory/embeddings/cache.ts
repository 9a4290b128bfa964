import { sha256Hex } from "../../util/sha256.ts";
import { type EmbeddingProvider, type EmbedOptions, spaceOf, wrapped } from "./provider.ts";

/** Vectors of texts that were embedded before. A cache may forget, but never returns the vector of another text. */
export interface EmbeddingCache {
  get(space: string, keys: readonly string[]): readonly (Float32Array | undefined)[];
  put(space: string, vectors: ReadonlyMap<string, Float32Array>): void;
}

/** The hash by which the vector of a text is found again. */
export function cacheKey(text: string, purpose: EmbedOptions["purpose"] = "document"): string {
  return sha256Hex(`${purpose}\0${text}`);
}

/** Ask the provider only for texts that are not in the cache, and for each of them once. */
export function caching(provider: EmbeddingProvider, cache: EmbeddingCache): EmbeddingProvider {
  const space = spaceOf(provider);
  return wrapped(provider, async (texts, options) => {
    const keys = texts.map((text) => cacheKey(text, options?.purpose));
    const known = new Map<string, Float32Array>();
    for (const [index, vector] of cache.get(space, keys).entries()) {
      if (vector !== undefined) known.set(keys[index] as string, vector);
    }
    const missing = new Map<string, string>();
    for (const [index, key] of keys.entries()) {
      if (!known.has(key)) missing.set(key, texts[index] as string);
    }
    if (missing.size > 0) {
      const vectors = await provider.embedBatch([...missing.values()], options);
      const made = new Map([...missing.keys()].map((key, index) => [key, vectors[index] as Float32Array]));
      cache.put(space, made);
      for (const [key, vector] of made) known.set(key, vector);
    }
    return keys.map((key) => known.get(key) as Float32Array);
  });
}
