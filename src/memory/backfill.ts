import { embeddedText } from "./database/chunk-store.ts";
import type { MemoryFile } from "./database/memory-file.ts";
import type { EmbeddingChain } from "./embeddings/chain.ts";
import { type EmbeddingProvider, spaceOf } from "./embeddings/provider.ts";

/** Texts for one transaction. */
const BATCH = 96;

export interface EmbedReport {
  readonly model: string;
  readonly embedded: number;
  /** Chunks that still have no vector. */
  readonly pending: number;
}

export interface EmbedAllOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: EmbedReport) => void;
}

/**
 * Embed every chunk that has no vector of the primary provider yet.
 *
 * Also after a change of the provider: chunks keep their old vectors until all
 * have new ones, and search uses what there is. When the primary fails, the
 * fallback embeds what it can, and the error is thrown afterwards.
 */
export async function embedAll(
  file: MemoryFile,
  chain: EmbeddingChain,
  options: EmbedAllOptions,
): Promise<EmbedReport> {
  let failure: unknown;
  for (const provider of chain.providers) {
    try {
      const report = await embedWith(file, provider, options);
      if (failure === undefined) {
        await removeOldSpaces(file, chain);
        return report;
      }
    } catch (error) {
      if (options.signal?.aborted) throw error;
      failure ??= error;
    }
  }
  throw failure;
}

async function embedWith(
  file: MemoryFile,
  provider: EmbeddingProvider,
  { signal, onProgress }: EmbedAllOptions,
): Promise<EmbedReport> {
  const { chunks, vectors } = file;
  const name = spaceOf(provider);
  const space = vectors.findSpace(name) ?? (await file.write(() => vectors.space(name, provider.dimensions)));
  let embedded = 0;
  for (;;) {
    signal?.throwIfAborted();
    const rows = file.read(() => chunks.withoutVector(space.id, BATCH));
    if (rows.length === 0) return { model: provider.model, embedded, pending: 0 };
    const made = await provider.embedBatch(rows.map(embeddedText), signal === undefined ? {} : { signal });
    await file.write(() => {
      for (const [index, row] of rows.entries()) {
        // It may have been removed or forgotten in the meantime.
        if (chunks.byId(Number(row.id)) === undefined) continue;
        vectors.put(space, Number(row.id), made[index] as Float32Array);
      }
    });
    embedded += rows.length;
    onProgress?.({ model: provider.model, embedded, pending: chunks.countWithoutVector(space.id) });
  }
}

/** Vectors of models that are no longer configured cannot be compared with any question. */
async function removeOldSpaces(file: MemoryFile, chain: EmbeddingChain): Promise<void> {
  const used = new Set(chain.providers.map(spaceOf));
  const old = file.read(() => file.vectors.spaces().filter(({ name }) => !used.has(name)));
  for (const space of old) await file.write(() => file.vectors.removeSpace(space));
}
