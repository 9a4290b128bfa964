import { invalid } from "../../errors.ts";
import { closestWord } from "../../util/closest-word.ts";

export const PROVIDER_NAMES = ["openai", "gemini", "ollama", "openai-compatible"] as const;
export type ProviderName = (typeof PROVIDER_NAMES)[number];

export interface EmbeddingSettings {
  readonly provider: ProviderName;
  /** By default the usual embedding model of the provider. */
  readonly model?: string | undefined;
  /** The length of the vectors. Known for the usual models. */
  readonly dimensions?: number | undefined;
  /** The API token, or a function that finds it when it is needed. It is sent to the origin of `baseUrl` only. */
  readonly apiToken?: string | (() => string | Promise<string>) | undefined;
  readonly baseUrl?: string | undefined;
  /** A model server on this machine: the path of its Unix socket, or its URL. */
  readonly localPath?: string | undefined;
  /** How long a request may take. By default 30 s. */
  readonly timeoutMs?: number | undefined;
}

/** Settings with nothing left open. */
export interface ChosenModel {
  readonly provider: ProviderName;
  readonly model: string;
  readonly dimensions: number;
  /** Whether the length was asked for, so that the provider must be told. */
  readonly isShortened: boolean;
  readonly baseUrl: string;
  readonly socketPath: string | undefined;
}

interface Preset {
  readonly baseUrl?: string;
  readonly model?: string;
}

const PRESETS: Readonly<Record<ProviderName, Preset>> = {
  openai: { baseUrl: "https://api.openai.com/v1", model: "text-embedding-3-small" },
  gemini: { baseUrl: "https://generativelanguage.googleapis.com/v1beta", model: "gemini-embedding-001" },
  ollama: { baseUrl: "http://127.0.0.1:11434/v1", model: "nomic-embed-text" },
  "openai-compatible": {},
};

const DIMENSIONS: Readonly<Record<string, number>> = {
  "text-embedding-3-small": 1536,
  "text-embedding-3-large": 3072,
  "text-embedding-ada-002": 1536,
  // Its full length is 3072, and as long as that it finds hardly more.
  "gemini-embedding-001": 1536,
  "nomic-embed-text": 768,
  "mxbai-embed-large": 1024,
  "all-minilm": 384,
};

/** Names that providers no longer serve. */
const RENAMED: Readonly<Record<string, string>> = { "embedding-001": "gemini-embedding-001" };

const DIMENSIONS_MAX = 8192;

/** Fill in what the settings leave open, and refuse what cannot work. */
export function chooseModel(settings: EmbeddingSettings): ChosenModel {
  const { provider, localPath, dimensions } = settings;
  if (!PROVIDER_NAMES.includes(provider)) throw unknownProvider(provider);
  const preset = PRESETS[provider];
  const isUrl = localPath !== undefined && /^https?:/.test(localPath);
  const baseUrl = settings.baseUrl ?? (isUrl ? localPath : preset.baseUrl);
  if (baseUrl === undefined) throw invalid(`${provider} needs a base URL`, "baseUrl");
  const asked = settings.model ?? preset.model;
  if (asked === undefined) throw invalid(`${provider} needs the name of a model`, "model");
  const model = RENAMED[asked] ?? asked;
  const isGemini = model === "gemini-embedding-001";
  return {
    provider,
    model,
    dimensions: checkedDimensions(model, dimensions ?? DIMENSIONS[model.replace(/:.*$/, "")]),
    isShortened: isGemini || (provider === "openai" && dimensions !== undefined),
    baseUrl: baseUrl.replace(/\/+$/, ""),
    socketPath: isUrl ? undefined : localPath,
  };
}

function checkedDimensions(model: string, dimensions: number | undefined): number {
  if (dimensions === undefined) {
    throw invalid(`Set dimensions: the length of the vectors of ${model} is not known`, "dimensions");
  }
  if (!Number.isInteger(dimensions) || dimensions < 1 || dimensions > DIMENSIONS_MAX) {
    throw invalid(`dimensions must be an integer from 1 to ${DIMENSIONS_MAX}`, "dimensions");
  }
  return dimensions;
}

function unknownProvider(provider: unknown): Error {
  const meant = closestWord(String(provider), PROVIDER_NAMES);
  const hint = meant === undefined ? `one of ${PROVIDER_NAMES.join(", ")}` : `"${meant}"`;
  return invalid(`There is no embedding provider "${provider}": did you mean ${hint}?`, "provider");
}
