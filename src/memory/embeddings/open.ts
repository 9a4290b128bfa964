import { checkObject } from "../../util/checked-arguments.ts";
import { BATCH_LIMITS, type BatchLimits, batching } from "./batches.ts";
import { breaking } from "./breaker.ts";
import { caching, type EmbeddingCache } from "./cache.ts";
import { EmbeddingChain } from "./chain.ts";
import { checking } from "./check-vectors.ts";
import { cooling } from "./cooldown.ts";
import type { EmbeddingProvider } from "./provider.ts";
import { retrying } from "./retry.ts";
import { sdkProvider } from "./sdk-provider.ts";
import type { EmbeddingSettings } from "./settings.ts";
import { systemTiming, type Timing } from "./timing.ts";

export interface EmbeddingsOptions {
  /** Settings of a provider that is known here, or a provider of your own. */
  readonly primary: EmbeddingSettings | EmbeddingProvider;
  /** Asked whenever the primary fails. */
  readonly fallback?: EmbeddingSettings | EmbeddingProvider | undefined;
  readonly cache?: EmbeddingCache | undefined;
  readonly limits?: BatchLimits | undefined;
  readonly timing?: Timing | undefined;
}

/** Providers that check, batch and cache, that repeat what failed by chance, and spare a server in trouble. */
export function openEmbeddings(options: EmbeddingsOptions): EmbeddingChain {
  checkObject(options, "options");
  const { primary, fallback } = options;
  checkObject(primary, "primary");
  if (fallback !== undefined) checkObject(fallback, "fallback");
  const all = fallback === undefined ? [primary] : [primary, fallback];
  return new EmbeddingChain(all.map((each) => sturdy(each, options)));
}

/** From the inside out: one request, its repetitions, the decision to ask at all, many texts, known texts. */
function sturdy(
  source: EmbeddingSettings | EmbeddingProvider,
  { cache, limits = BATCH_LIMITS, timing = systemTiming }: EmbeddingsOptions,
): EmbeddingProvider {
  const provider = "embedBatch" in source ? source : sdkProvider(source, timing.nowMs);
  const single = cooling(breaking(retrying(checking(provider), timing), timing), timing);
  const many = batching(single, limits);
  return cache === undefined ? many : caching(many, cache);
}
