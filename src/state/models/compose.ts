/** Composes `models.json` from catalogue, profiles, config and environment. Pure, in a stable order. */

import { ColloquyError } from "../../errors.ts";
import { secretsIn } from "../../secrets/secret-names.ts";
import { checkObject } from "../../util/checked-arguments.ts";
import { defined } from "../../util/json.ts";
import { providerId } from "../credentials/profiles/provider-id.ts";
import type { Environment } from "../folder.ts";
import { CATALOGUE, PRICES_AS_OF } from "./catalogue.ts";
import { type ConfiguredModel, type ConfiguredProvider, readConfigured } from "./configured.ts";
import { baseUrlInEnvironment, providersInEnvironment } from "./environment.ts";
import type {
  ComposedModels,
  ModelCost,
  ModelSpec,
  ModelsInput,
  ProviderSource,
  ProviderSpec,
} from "./types.ts";

const NOTE =
  "US dollars per million tokens. A snapshot of public prices, which change; the config can override them";

export function composeModels(input: ModelsInput): ComposedModels {
  checkObject(input, "input");
  const { profiles = [], providers: named = [], config = {}, env = {} } = input;
  const configured = readConfigured(config);
  const sources = new Map<string, ProviderSource[]>();
  const found = (id: string, source: ProviderSource): void => {
    const known = sources.get(id) ?? [];
    if (!known.includes(source)) sources.set(id, [...known, source]);
  };
  for (const name of [...named, ...profiles.map(({ provider }) => provider)])
    found(providerId(name), "profile");
  for (const id of configured.providers.keys()) found(id, "config");
  for (const id of providersInEnvironment(env)) found(id, "environment");
  const warnings = [...configured.warnings];
  const providers: [string, ProviderSpec][] = [];
  for (const id of [...sources.keys()].sort(inOrder)) {
    const own = configured.providers.get(id);
    const spec = own?.off === true ? undefined : provide(id, own, env, warnings);
    if (spec === undefined) sources.delete(id);
    else providers.push([id, spec]);
  }
  const file = {
    prices: { asOf: PRICES_AS_OF, note: NOTE },
    ...(configured.default === undefined ? {} : { default: configured.default }),
    providers: Object.fromEntries(providers),
  };
  if (configured.default !== undefined) warnings.push(...doubts(configured.default, new Map(providers)));
  checkSecrets(file.providers, env);
  return { file, sources: Object.fromEntries(sources), warnings };
}

/** Those of the catalogue first, in its order, then by name. */
function inOrder(a: string, b: string): number {
  const known = [...CATALOGUE.keys()];
  const place = (id: string): number => (known.includes(id) ? known.indexOf(id) : known.length);
  return place(a) - place(b) || (a < b ? -1 : 1);
}

function provide(
  id: string,
  own: ConfiguredProvider | undefined,
  env: Environment,
  warnings: string[],
): ProviderSpec | undefined {
  const known = CATALOGUE.get(id);
  const baseUrl = own?.baseUrl ?? baseUrlInEnvironment(id, env) ?? known?.baseUrl;
  if (baseUrl === undefined) {
    warnings.push(`${id} is skipped: set its address in models.providers.${id}.baseUrl`);
    return undefined;
  }
  const api = own?.api ?? known?.api ?? "openai-completions";
  return { baseUrl, api, models: merged(known?.models ?? [], own?.models ?? []) };
}

/** Known models keep their position; new ones follow in the order of the config. */
function merged(known: readonly ModelSpec[], own: readonly ConfiguredModel[]): ModelSpec[] {
  const models = new Map(known.map((model) => [model.id, model]));
  for (const { cost, ...change } of own) {
    const before = models.get(change.id);
    const costs = cost === undefined ? before?.cost : { ...FREE, ...before?.cost, ...cost };
    const after = { ...before, ...change, name: change.name ?? before?.name ?? change.id };
    models.set(change.id, costs === undefined ? after : { ...after, cost: costs });
  }
  return [...models.values()].map(inFormat);
}

const FREE: ModelCost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

/** Properties in the order of the format, so that equal content is equal text. */
function inFormat({ id, name, reasoning, input, cost, contextWindow, maxTokens }: ModelSpec): ModelSpec {
  return { id, name, ...defined({ reasoning, input, cost, contextWindow, maxTokens }) };
}

function doubts(preset: string, providers: ReadonlyMap<string, ProviderSpec>): string[] {
  const slash = preset.indexOf("/");
  const provider = providers.get(providerId(preset.slice(0, Math.max(slash, 0))));
  if (slash === -1) return ["models.default must be <provider>/<model>, such as anthropic/claude-opus-5-5"];
  if (provider === undefined) return ["models.default names a provider that is not set up"];
  if (provider.models.length === 0 || provider.models.some(({ id }) => id === preset.slice(slash + 1)))
    return [];
  return ["models.default names a model that is not in the list; it is used anyway"];
}

const SECRET_CHARS_MIN = 12;

/** The last check before writing: refuse a key in an address or a name. */
function checkSecrets(providers: Readonly<Record<string, ProviderSpec>>, env: Environment): void {
  const secrets = secretsIn(env, SECRET_CHARS_MIN);
  for (const [id, provider] of Object.entries(providers)) {
    const text = JSON.stringify(provider);
    if (!secrets.some((secret) => text.includes(secret))) continue;
    const path = `models.providers.${id}`;
    throw new ColloquyError(
      "VALIDATION_ERROR",
      `${path} in the config has a secret in its address or a name: remove it`,
      {
        field: path,
      },
    );
  }
}
