/** The providers that the environment offers. Only whether a secret is set matters, never its value. */
import type { Environment } from "../folder.ts";
import { CATALOGUE } from "./catalogue.ts";

export function providersInEnvironment(env: Environment): string[] {
  return [...CATALOGUE]
    .filter(([, provider]) => provider.env.some((names) => names.every((name) => env[name])))
    .map(([id]) => id);
}

const REGION = /^[a-z]{2}(-[a-z]+)+-\d$/;

/** The address of a provider from the environment. */
export function baseUrlInEnvironment(id: string, env: Environment): string | undefined {
  if (id === "ollama") return ollamaUrl(env.OLLAMA_HOST);
  const region = env.AWS_REGION || env.AWS_DEFAULT_REGION;
  if (id !== "amazon-bedrock" || region === undefined || !REGION.test(region)) return undefined;
  return `https://bedrock-runtime.${region}.amazonaws.com`;
}

/** `host`, `host:port` or a URL, as Ollama takes it. The wildcard address that a server listens on cannot be called. */
function ollamaUrl(host: string | undefined): string | undefined {
  if (!host) return undefined;
  const text = /^https?:\/\//.test(host) ? host : `http://${host}`;
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  if (url.hostname === "0.0.0.0" || url.hostname === "[::]") url.hostname = "127.0.0.1";
  const named = /:\d+\/?$/.test(text) || text.startsWith("https:");
  if (url.port === "" && !named) url.port = "11434";
  return `${url.origin}/v1`;
}
