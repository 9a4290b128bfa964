export interface EmbedOptions {
  /** Some models embed a question differently from a text that may answer it. By default `document`. */
  readonly purpose?: "document" | "query";
  readonly signal?: AbortSignal;
}

/**
 * One embedding model.
 *
 * Contract: vectors are in the order of the texts, one for each, and have
 * `dimensions` finite numbers and the length 1. All texts are embedded or none.
 * Failures are `ColloquyError`s: `RATE_LIMITED` and `SERVICE_UNAVAILABLE` may
 * have `details.retryAfterMs`. An aborted call fails with the reason of its signal.
 */
export interface EmbeddingProvider {
  readonly name: string;
  readonly model: string;
  readonly dimensions: number;
  embed(text: string, options?: EmbedOptions): Promise<Float32Array>;
  embedBatch(texts: readonly string[], options?: EmbedOptions): Promise<readonly Float32Array[]>;
}

export type EmbedBatch = EmbeddingProvider["embedBatch"];

/** A provider that does the work of another one in a different way. */
export function wrapped(
  { name, model, dimensions }: Pick<EmbeddingProvider, "name" | "model" | "dimensions">,
  embedBatch: EmbedBatch,
): EmbeddingProvider {
  return {
    name,
    model,
    dimensions,
    embedBatch,
    embed: async (text, options) => (await embedBatch([text], options))[0] as Float32Array,
  };
}

/** Vectors of the same space can be compared, regardless of the provider. */
export function spaceOf({ model, dimensions }: Pick<EmbeddingProvider, "model" | "dimensions">): string {
  return `${model}@${dimensions}`;
}
