/**
 * `models` of the config, checked property by property.
 *
 * Takes only the properties of `models.json`. Keys, headers and other settings
 * of a provider stay in the config.
 */
import { ColloquyError } from "../../errors.ts";
import { isPlainObject } from "../../util/json.ts";
import { providerId } from "../credentials/profiles/provider-id.ts";
import { isPrototypeKey } from "../json5/nodes.ts";
import type { ModelSpec } from "./types.ts";

export interface ConfiguredProvider {
  readonly baseUrl?: string;
  readonly api?: string;
  readonly models: readonly ConfiguredModel[];
  /** `enabled: false`: the user does not want it, even with a profile or a variable. */
  readonly off: boolean;
}

/** A change of a known model, or a new one. */
export type ConfiguredModel = Pick<ModelSpec, "id"> &
  Partial<Omit<ModelSpec, "cost">> & { readonly cost?: Partial<ModelSpec["cost"]> };

export interface Configured {
  readonly default: string | undefined;
  readonly providers: ReadonlyMap<string, ConfiguredProvider>;
  readonly warnings: readonly string[];
}

const COSTS = ["input", "output", "cacheRead", "cacheWrite"] as const;

export function readConfigured(config: Readonly<Record<string, unknown>>): Configured {
  const models = config.models ?? {};
  if (!isPlainObject(models)) throw wrong("models", "an object");
  const preset = models.default;
  if (preset !== undefined && typeof preset !== "string")
    throw wrong("models.default", "a string, such as anthropic/claude-opus-5-5");
  const listed = models.providers ?? {};
  if (!isPlainObject(listed)) throw wrong("models.providers", "an object of providers");
  const warnings: string[] = [];
  const providers = new Map<string, ConfiguredProvider>();
  for (const [name, value] of Object.entries(listed)) {
    const path = `models.providers.${name}`;
    if (isPrototypeKey(name)) throw wrong(path, "another name");
    if (value === null) continue;
    if (!isPlainObject(value)) throw wrong(path, "an object");
    providers.set(providerId(name), readProvider(value, path, warnings));
  }
  return { default: preset, providers, warnings };
}

function readProvider(value: Record<string, unknown>, path: string, warnings: string[]): ConfiguredProvider {
  const { baseUrl, api, models = [], enabled } = value;
  if (api !== undefined && typeof api !== "string") throw wrong(`${path}.api`, "a string");
  if (!Array.isArray(models)) throw wrong(`${path}.models`, "a list");
  return {
    ...(baseUrl === undefined ? {} : { baseUrl: checkUrl(baseUrl, `${path}.baseUrl`, warnings) }),
    ...(api === undefined ? {} : { api }),
    models: models.map((model, index) => readModel(model, `${path}.models[${index}]`)),
    off: enabled === false,
  };
}

/** A password, a query or a fragment is not part of the address and may be a secret. */
function checkUrl(value: unknown, path: string, warnings: string[]): string {
  if (typeof value !== "string" || !URL.canParse(value))
    throw wrong(path, "a URL, such as https://api.example.org/v1");
  const url = new URL(value);
  if (url.protocol !== "https:" && url.protocol !== "http:")
    throw wrong(path, "a URL that starts with https: or http:");
  const clean = `${url.origin}${url.pathname}`.replace(/\/+$/, "");
  if (url.username || url.password || url.search || url.hash) {
    warnings.push(`${path} contains more than an address; models.json contains only ${clean}`);
  }
  return clean;
}

function readModel(value: unknown, path: string): ConfiguredModel {
  if (typeof value === "string" && value !== "") return { id: value };
  if (!isPlainObject(value)) throw wrong(path, "a model, or its id");
  const { id, name, reasoning, input, cost, contextWindow, maxTokens } = value;
  if (typeof id !== "string" || id === "") throw wrong(`${path}.id`, "a string");
  if (name !== undefined && typeof name !== "string") throw wrong(`${path}.name`, "a string");
  if (reasoning !== undefined && typeof reasoning !== "boolean")
    throw wrong(`${path}.reasoning`, "true or false");
  return {
    id,
    ...(name === undefined ? {} : { name }),
    ...(reasoning === undefined ? {} : { reasoning }),
    ...(input === undefined ? {} : { input: checkInput(input, `${path}.input`) }),
    ...(cost === undefined ? {} : { cost: checkCost(cost, `${path}.cost`) }),
    ...(contextWindow === undefined
      ? {}
      : { contextWindow: checkTokens(contextWindow, `${path}.contextWindow`) }),
    ...(maxTokens === undefined ? {} : { maxTokens: checkTokens(maxTokens, `${path}.maxTokens`) }),
  };
}

function checkInput(value: unknown, path: string): ("text" | "image")[] {
  const known = (item: unknown): item is "text" | "image" => item === "text" || item === "image";
  if (Array.isArray(value) && value.length > 0 && value.every(known)) return value;
  throw wrong(path, 'a list of "text" and "image"');
}

function checkTokens(value: unknown, path: string): number {
  if (typeof value === "number" && Number.isSafeInteger(value) && value > 0) return value;
  throw wrong(path, "a positive integer");
}

function checkCost(value: unknown, path: string): Partial<ModelSpec["cost"]> {
  if (!isPlainObject(value)) throw wrong(path, "an object of prices");
  const prices = COSTS.filter((name) => value[name] !== undefined).map((name) => {
    const price = value[name];
    if (typeof price === "number" && Number.isFinite(price) && price >= 0) return [name, price] as const;
    throw wrong(`${path}.${name}`, "a price in US dollars per million tokens");
  });
  return Object.fromEntries(prices);
}

/** Never quotes the value: it may be a misplaced key. */
function wrong(path: string, wanted: string): ColloquyError {
  return new ColloquyError("VALIDATION_ERROR", `${path} in the config must be ${wanted}`, {
    field: path,
    details: { path },
  });
}
