import { checkObject } from "../util/checked-arguments.ts";
import { MemoryFile } from "./database/memory-file.ts";
import { EmbeddingChain } from "./embeddings/chain.ts";
import { type EmbeddingsOptions, openEmbeddings } from "./embeddings/open.ts";
import { StoredCache } from "./embeddings/stored-cache.ts";
import { Memory } from "./memory.ts";

export interface MemoryOptions {
  /** Where vectors come from. Without it, memory is searched by words. */
  readonly embeddings?: Omit<EmbeddingsOptions, "cache"> | EmbeddingChain | undefined;
  /** Never change anything; the file must exist. */
  readonly readonly?: boolean | undefined;
  /** How long to wait while another process writes. By default 10 s. */
  readonly lockWaitMs?: number | undefined;
  readonly clock?: (() => number) | undefined;
}

/** Open a memory, usually `memory.db`, or create it. */
export async function openMemory(path: string, options: MemoryOptions = {}): Promise<Memory> {
  checkObject(options, "options");
  const { embeddings, readonly, lockWaitMs, clock = Date.now } = options;
  const file = await MemoryFile.open(path, { readonly, lockWaitMs });
  try {
    return new Memory(file, chainOf(embeddings, file, readonly === true), clock, readonly === true);
  } catch (error) {
    file.close();
    throw error;
  }
}

function chainOf(
  embeddings: MemoryOptions["embeddings"],
  file: MemoryFile,
  readonly: boolean,
): EmbeddingChain | undefined {
  if (embeddings === undefined || embeddings instanceof EmbeddingChain) return embeddings;
  return openEmbeddings({ ...embeddings, cache: readonly ? undefined : new StoredCache(file.database) });
}
