/** The embedding providers that the config describes. */
import { ColloquyError } from "../../errors.ts";
import type { EmbeddingSettings } from "../../memory/index.ts";
import type { JsonObject } from "../../util/json.ts";
import { filledIn, numberIn, objectIn } from "../../util/values.ts";
import type { Installation } from "./installation.ts";

export interface ConfiguredEmbeddings {
  readonly primary: EmbeddingSettings;
  readonly fallback: EmbeddingSettings | undefined;
}

/** Those of `memory.embedding`; `undefined` if there is no provider. */
export function configuredEmbeddings({
  config,
  credentials,
}: Pick<Installation, "config" | "credentials">): ConfiguredEmbeddings | undefined {
  const embedding = objectIn(objectIn(config.memory)?.embedding) ?? {};
  const primary = settingsOf(embedding, credentials);
  const { fallback } = embedding;
  const second = typeof fallback === "string" ? { provider: fallback } : (objectIn(fallback) ?? {});
  return primary === undefined ? undefined : { primary, fallback: settingsOf(second, credentials) };
}

/** `undefined` when no provider is configured. */
function settingsOf(
  section: JsonObject,
  credentials: Installation["credentials"],
): EmbeddingSettings | undefined {
  const provider = filledIn(section.provider) as EmbeddingSettings["provider"] | undefined;
  if (provider === undefined) return undefined;
  const given = filledIn(section.apiToken);
  return {
    provider,
    model: filledIn(section.model),
    dimensions: numberIn(section.dimensions),
    baseUrl: filledIn(section.baseUrl),
    localPath: filledIn(section.localPath),
    apiToken: given ?? (() => profileToken(provider, credentials)),
  };
}

/** The token of a profile of `colloquy auth add`; an empty one where the provider may need none. */
async function profileToken(provider: string, credentials: Installation["credentials"]): Promise<string> {
  if (provider === "ollama" || provider === "openai-compatible") return "";
  try {
    return (await credentials.resolve(provider)).value ?? "";
  } catch (error) {
    const reason = (error as Error).message;
    throw new ColloquyError("UNAUTHORIZED", `Embeddings of ${provider} need an API token: ${reason}`);
  }
}
