export { type MemoryFileOptions, openMemoryFile } from "./database/open.ts";
export type { BatchLimits } from "./embeddings/batches.ts";
export type { EmbeddingCache } from "./embeddings/cache.ts";
export { type Embedded, EmbeddingChain } from "./embeddings/chain.ts";
export { type EmbeddingsOptions, openEmbeddings } from "./embeddings/open.ts";
export type { EmbeddingProvider, EmbedOptions } from "./embeddings/provider.ts";
export { type EmbeddingSettings, PROVIDER_NAMES, type ProviderName } from "./embeddings/settings.ts";
export { StoredCache } from "./embeddings/stored-cache.ts";
export type { Timing } from "./embeddings/timing.ts";
