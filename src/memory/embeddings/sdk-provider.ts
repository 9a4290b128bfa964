/** Embedding models of the AI SDK, called without its `ai` package, which adds retries of its own. */
import { asColloquyError, ColloquyError } from "../../errors.ts";
import { objectIn, objectsIn } from "../../util/values.ts";
import { type EmbeddingProvider, type EmbedOptions, wrapped } from "./provider.ts";
import { embeddingFetch } from "./request.ts";
import { type ChosenModel, chooseModel, type EmbeddingSettings } from "./settings.ts";
import { systemTiming } from "./timing.ts";

/** The little that is used of a model of the SDK. */
interface SdkModel {
  doEmbed(call: {
    readonly values: string[];
    readonly abortSignal?: AbortSignal;
    readonly providerOptions?: Record<string, Record<string, string | number>>;
  }): PromiseLike<{
    readonly embeddings: readonly number[][];
    readonly response?: { readonly body?: unknown };
  }>;
}

type Fetch = ReturnType<typeof embeddingFetch>;

/** One request for each call. `openEmbeddings` adds checks, retries, batches and the rest. */
export function sdkProvider(
  settings: EmbeddingSettings,
  nowMs: () => number = systemTiming.nowMs,
): EmbeddingProvider {
  const chosen = chooseModel(settings);
  const fetch = embeddingFetch(chosen, settings, nowMs);
  let loading: Promise<SdkModel> | undefined;
  const { provider: name, model, dimensions } = chosen;
  return wrapped({ name, model, dimensions }, async (texts, options = {}) => {
    loading ??= loadModel(chosen, fetch);
    return embedWith(await loading, chosen, texts, options);
  });
}

async function loadModel(chosen: ChosenModel, fetch: Fetch): Promise<SdkModel> {
  const { provider, model, baseUrl: baseURL } = chosen;
  if (provider === "gemini") {
    const { createGoogle } = await import("../../util/ai-sdk/google.ts");
    return createGoogle({ baseURL, apiKey: "placeholder", fetch }).embeddingModel(model);
  }
  const { createOpenAICompatible } = await import("../../util/ai-sdk/openai-compatible.ts");
  return createOpenAICompatible({ name: "colloquy", baseURL, fetch }).embeddingModel(model);
}

async function embedWith(
  sdk: SdkModel,
  chosen: ChosenModel,
  texts: readonly string[],
  { purpose = "document", signal }: EmbedOptions,
): Promise<Float32Array[]> {
  const providerOptions = optionsOf(chosen, purpose);
  const values = texts.map((text) => prefixOf(chosen, purpose) + text);
  try {
    const { embeddings, response } = await sdk.doEmbed({
      values,
      providerOptions,
      ...(signal === undefined ? {} : { abortSignal: signal }),
    });
    return inOrder(embeddings, response?.body).map((vector) => Float32Array.from(vector));
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    if (error instanceof ColloquyError) throw error;
    throw unreadable(chosen, error);
  }
}

function optionsOf(
  { provider, dimensions, isShortened }: ChosenModel,
  purpose: string,
): Record<string, Record<string, string | number>> {
  if (provider === "gemini") {
    const taskType = purpose === "query" ? "RETRIEVAL_QUERY" : "RETRIEVAL_DOCUMENT";
    return { google: { taskType, outputDimensionality: dimensions } };
  }
  return isShortened ? { colloquy: { dimensions } } : {};
}

/** The model was trained with these words, and finds much less without them. */
function prefixOf({ model }: ChosenModel, purpose: string): string {
  return model.startsWith("nomic-embed-text") ? `search_${purpose}: ` : "";
}

/** Servers that work on several texts at once may return them in any order, with the place of each. */
function inOrder(embeddings: readonly number[][], body: unknown): readonly number[][] {
  const places = objectsIn(objectIn(body)?.data).map(({ index }) => index);
  if (places.length !== embeddings.length || !places.every((place) => typeof place === "number")) {
    return embeddings;
  }
  // Two vectors for one place leave one too few, which is noticed when they are counted.
  const byPlace = new Map(embeddings.map((vector, index) => [places[index] as number, vector]));
  return [...byPlace].sort(([one], [other]) => one - other).map(([, vector]) => vector);
}

/** Errors of the SDK hold the request and the answer: both stay behind. */
function unreadable({ provider, model }: ChosenModel, error: unknown): ColloquyError {
  const name = (error as Error | undefined)?.name ?? "";
  if (!name.startsWith("AI_")) return asColloquyError(error, `Embedding with ${model} of ${provider} failed`);
  const message = `${provider} answered with something else than the embeddings of ${model}`;
  return new ColloquyError("SERVICE_UNAVAILABLE", message);
}
