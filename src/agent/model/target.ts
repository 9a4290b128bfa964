/** A model by its name, with all that is known of it. */
import { ColloquyError, invalid } from "../../errors.ts";
import { providerId } from "../../state/credentials/profiles/provider-id.ts";
import { CATALOGUE } from "../../state/models/catalogue.ts";
import type { ModelSpec, ModelsFile, ProviderSpec } from "../../state/models/types.ts";
import { closestWord } from "../../util/closest-word.ts";

const APIS = [
  "anthropic-messages",
  "openai-responses",
  "openai-completions",
  "google-generative-ai",
] as const;
export type Api = (typeof APIS)[number];

export interface Target {
  /** As `provider/model`. */
  readonly name: string;
  readonly provider: string;
  readonly model: string;
  readonly api: Api;
  readonly baseUrl: string;
  readonly spec: Partial<ModelSpec>;
}

/** The provider and the model of a name. Only the first slash counts: names of resellers contain more. */
function splitName(name: string): { readonly provider: string; readonly model: string } {
  const slash = typeof name === "string" ? name.indexOf("/") : -1;
  if (slash < 1 || slash === name.length - 1) {
    const example = "such as anthropic/claude-opus-5-5";
    throw invalid(`A model is named <provider>/<model>, ${example}: not ${JSON.stringify(name)}`, "name");
  }
  return { provider: providerId(name.slice(0, slash)), model: name.slice(slash + 1) };
}

/** Refuses a provider that is not known, or that speaks a protocol that is not. */
export function targetOf(name: string, models: Pick<ModelsFile, "providers">): Target {
  const { provider, model } = splitName(name);
  const { api, baseUrl, models: specs } = providerOf(provider, models.providers);
  if (!isApi(api)) {
    const message = `${provider} speaks ${api}, which Colloquy does not. It speaks ${APIS.join(", ")}`;
    throw new ColloquyError("NOT_SUPPORTED", message, { details: { provider, api } });
  }
  const spec = specs.find(({ id }) => id === model) ?? {};
  return { name: `${provider}/${model}`, provider, model, api, baseUrl: baseUrl.replace(/\/+$/, ""), spec };
}

export function isApi(api: string): api is Api {
  return (APIS as readonly string[]).includes(api);
}

/** A provider of the catalogue is known without a key, so that the error can be about the key. */
function providerOf(provider: string, providers: ModelsFile["providers"]): ProviderSpec {
  const own = Object.hasOwn(providers, provider) ? providers[provider] : undefined;
  const spec = own ?? CATALOGUE.get(provider);
  if (spec !== undefined) return spec;
  const meant = closestWord(provider, [...Object.keys(providers), ...CATALOGUE.keys()]);
  const hint =
    meant === undefined
      ? `Set its address in models.providers.${provider}.baseUrl`
      : `Did you mean ${meant}?`;
  throw new ColloquyError("NOT_FOUND", `There is no model provider "${provider}". ${hint}`, {
    field: "name",
  });
}
