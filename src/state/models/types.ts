/** `models.json` as plain values: the providers that an agent can use, and their models. */

import type { Environment } from "../folder.ts";

/** US dollars for a million tokens. */
export interface ModelCost {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

/** A member that is not known is left out; nothing is made up. */
export interface ModelSpec {
  readonly id: string;
  readonly name: string;
  readonly reasoning?: boolean;
  readonly input?: readonly ("text" | "image")[];
  readonly cost?: ModelCost;
  readonly contextWindow?: number;
  readonly maxTokens?: number;
}

export interface ProviderSpec {
  readonly baseUrl: string;
  /** The protocol that it speaks. */
  readonly api: string;
  readonly models: readonly ModelSpec[];
}

export interface ModelsFile {
  /** Of the models that come from the built-in catalogue. */
  readonly prices: { readonly asOf: string; readonly note: string };
  /** `<provider>/<model>`, as config says. */
  readonly default?: string;
  readonly providers: Readonly<Record<string, ProviderSpec>>;
}

/** A provider that the catalogue knows. */
export interface KnownProvider extends ProviderSpec {
  /** Lists of variables; a list that is set as a whole means that the provider can be used. */
  readonly env: readonly (readonly string[])[];
}

/** Where it is known from that a provider can be used. */
export type ProviderSource = "profile" | "config" | "environment";

export interface ModelsInput {
  /** Of `Credentials.list()`; only the provider is looked at. */
  readonly profiles?: readonly { readonly provider: string }[];
  /** The same as names, of `Credentials.providers()`, which opens no secret. */
  readonly providers?: readonly string[];
  /** The whole config; only `models` is looked at. */
  readonly config?: Readonly<Record<string, unknown>>;
  readonly env?: Environment;
}

export interface ComposedModels {
  readonly file: ModelsFile;
  readonly sources: Readonly<Record<string, readonly ProviderSource[]>>;
  readonly warnings: readonly string[];
}
