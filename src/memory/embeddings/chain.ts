import { ColloquyError } from "../../errors.ts";
import type { EmbeddingProvider, EmbedOptions } from "./provider.ts";

/** Vectors, and the provider that made them: those of another model cannot be compared with them. */
export interface Embedded {
  readonly provider: EmbeddingProvider;
  readonly vectors: readonly Float32Array[];
}

/** The primary provider, then its fallbacks. */
export class EmbeddingChain {
  readonly providers: readonly EmbeddingProvider[];

  constructor(providers: readonly EmbeddingProvider[]) {
    this.providers = providers;
  }

  get primary(): EmbeddingProvider {
    return this.providers[0] as EmbeddingProvider;
  }

  /** From the first provider that answers. Fails with the error of the primary when none does. */
  async embedBatch(texts: readonly string[], options?: EmbedOptions): Promise<Embedded> {
    const errors: unknown[] = [];
    for (const provider of this.providers) {
      try {
        return { provider, vectors: await provider.embedBatch(texts, options) };
      } catch (error) {
        if (options?.signal?.aborted) throw error;
        errors.push(error);
      }
    }
    throw this.#allFailed(errors);
  }

  #allFailed(errors: readonly unknown[]): unknown {
    const [first] = errors;
    if (errors.length === 1 || !(first instanceof ColloquyError)) return first;
    const others = errors.slice(1).map((error) => (error as Error).message);
    const message = `${first.message}. The fallback failed too: ${others.join("; ")}`;
    return new ColloquyError(first.code, message, { details: { ...first.details } });
  }
}
