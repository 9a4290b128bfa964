/**
 * `models` of the config, checked against its schema.
 *
 * Takes only the properties of `models.json`. Keys, headers and other settings
 * of a provider stay in the config.
 */
import { invalid } from "../../errors.ts";
import type { Json } from "../../util/json.ts";
import { treeOf } from "../config/located.ts";
import { check } from "../config/schema/check.ts";
import { object } from "../config/schema/field.ts";
import { models as schema } from "../config/schema/own-sections.ts";
import { providerId } from "../credentials/profiles/provider-id.ts";
import { isPrototypeKey } from "../json5/nodes.ts";
import type { ModelSpec } from "./types.ts";

export interface ConfiguredProvider {
  readonly baseUrl?: string | undefined;
  readonly api?: string | undefined;
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

/** The section, as far as its schema guarantees it. */
interface ModelsSection {
  readonly default?: string;
  readonly providers?: Readonly<Record<string, ProviderSection>>;
}

interface ProviderSection {
  readonly enabled?: boolean;
  readonly baseUrl?: string;
  readonly api?: string;
  readonly models?: readonly (string | Partial<ConfiguredModel>)[];
}

const SCHEMA = object("The config", { models: schema });

export function readConfigured(config: Readonly<Record<string, unknown>>): Configured {
  const section = (config.models ?? {}) as Json;
  const tree = treeOf({ models: section }, { kind: "file", file: null });
  const error = check(tree, SCHEMA).find(({ severity }) => severity === "error");
  // Names the path and never the value, which may be a misplaced key.
  if (error !== undefined)
    throw wrong(error.path, error.message.slice(error.path.length + " must be ".length));
  const { default: preset, providers: listed = {} } = section as ModelsSection;
  const warnings: string[] = [];
  const providers = new Map<string, ConfiguredProvider>();
  for (const [name, provider] of Object.entries(listed)) {
    const path = `models.providers.${name}`;
    if (isPrototypeKey(name)) throw wrong(path, "another name");
    const { baseUrl, api, models = [], enabled } = provider;
    providers.set(providerId(name), {
      baseUrl: baseUrl === undefined ? undefined : checkUrl(baseUrl, `${path}.baseUrl`, warnings),
      api,
      models: models.map((model, index) => readModel(model, `${path}.models[${index}]`)),
      off: enabled === false,
    });
  }
  return { default: preset, providers, warnings };
}

/** A password, a query or a fragment is not part of the address and may be a secret. */
function checkUrl(value: string, path: string, warnings: string[]): string {
  if (!URL.canParse(value)) throw wrong(path, "a URL, such as https://api.example.org/v1");
  const url = new URL(value);
  if (url.protocol !== "https:" && url.protocol !== "http:")
    throw wrong(path, "a URL that starts with https: or http:");
  const clean = `${url.origin}${url.pathname}`.replace(/\/+$/, "");
  if (url.username || url.password || url.search || url.hash) {
    warnings.push(`${path} contains more than an address; models.json contains only ${clean}`);
  }
  return clean;
}

const PROPERTIES = ["id", "name", "reasoning", "input", "cost", "contextWindow", "maxTokens"] as const;
const COSTS = ["input", "output", "cacheRead", "cacheWrite"] as const;

function readModel(model: string | Partial<ConfiguredModel>, path: string): ConfiguredModel {
  const value = typeof model === "string" ? { id: model } : model;
  if (!value.id) throw wrong(`${path}.id`, "a string");
  const { cost, ...own } = picked(value, PROPERTIES);
  return { ...own, ...(cost === undefined ? {} : { cost: picked(cost, COSTS) }) } as ConfiguredModel;
}

function picked<T extends object, Name extends keyof T>(value: T, names: readonly Name[]): Pick<T, Name> {
  const set = names.filter((name) => value[name] !== undefined);
  return Object.fromEntries(set.map((name) => [name, value[name]])) as Pick<T, Name>;
}

function wrong(path: string, wanted: string): Error {
  return invalid(`${path} in the config must be ${wanted}`, path, { path });
}
