/** `models.json` as plain values: the providers that an agent can use, and their models. */

import type { Environment } from "../folder.ts";

/** US dollars per million tokens. */
export interface ModelCost {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

/** Unknown properties are left out. */
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
  /** Its protocol. */
  readonly api: string;
  readonly models: readonly ModelSpec[];
}

export interface ModelsFile {
  /** The prices of models from the built-in catalogue. */
  readonly prices: { readonly asOf: string; readonly note: string };
  /** `<provider>/<model>`, from the config. */
  readonly default?: string;
  readonly providers: Readonly<Record<string, ProviderSpec>>;
}

/** A provider of the catalogue. */
export interface KnownProvider extends ProviderSpec {
  /** Lists of variables. The provider is available when all variables of one list are set. */
  readonly env: readonly (readonly string[])[];
}

/** Why a provider is available. */
export type ProviderSource = "profile" | "config" | "environment";

export interface ModelsInput {
  /** From `Credentials.list()`. Only the provider is used. */
  readonly profiles?: readonly { readonly provider: string }[];
  /** From `Credentials.providers()`, which reads no secret. */
  readonly providers?: readonly string[];
  /** The whole config. Only `models` is used. */
  readonly config?: Readonly<Record<string, unknown>>;
  readonly env?: Environment;
}

export interface ComposedModels {
  readonly file: ModelsFile;
  readonly sources: Readonly<Record<string, readonly ProviderSource[]>>;
  readonly warnings: readonly string[];
}
