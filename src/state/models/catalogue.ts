/** The built-in providers: their addresses, protocols, models and variables. */
import { AWS_VARIABLES } from "../credentials/secret/check-secret.ts";
import { ANTHROPIC, BEDROCK, GOOGLE, OPENAI, OPENROUTER } from "./catalogue-models.ts";
import type { KnownProvider } from "./types.ts";

export { PRICES_AS_OF } from "./catalogue-models.ts";

const OPENAI_LIKE = "openai-completions";

export const CATALOGUE: ReadonlyMap<string, KnownProvider> = new Map<string, KnownProvider>([
  [
    "anthropic",
    {
      baseUrl: "https://api.anthropic.com",
      api: "anthropic-messages",
      models: ANTHROPIC,
      env: [["ANTHROPIC_API_KEY"], ["ANTHROPIC_OAUTH_TOKEN"], ["CLAUDE_CODE_OAUTH_TOKEN"]],
    },
  ],
  [
    "openai",
    {
      baseUrl: "https://api.openai.com/v1",
      api: "openai-responses",
      models: OPENAI,
      env: [["OPENAI_API_KEY"]],
    },
  ],
  [
    "google",
    {
      baseUrl: "https://generativelanguage.googleapis.com/v1beta",
      api: "google-generative-ai",
      models: GOOGLE,
      env: [["GEMINI_API_KEY"], ["GOOGLE_API_KEY"]],
    },
  ],
  [
    "openrouter",
    {
      baseUrl: "https://openrouter.ai/api/v1",
      api: OPENAI_LIKE,
      models: OPENROUTER,
      env: [["OPENROUTER_API_KEY"]],
    },
  ],
  [
    "amazon-bedrock",
    {
      baseUrl: "https://bedrock-runtime.us-east-1.amazonaws.com",
      api: "bedrock-converse-stream",
      models: BEDROCK,
      env: AWS_VARIABLES,
    },
  ],
  // Their models change weekly, or are up to the user: the config lists them.
  ["ollama", { baseUrl: "http://127.0.0.1:11434/v1", api: OPENAI_LIKE, models: [], env: [["OLLAMA_HOST"]] }],
  [
    "groq",
    { baseUrl: "https://api.groq.com/openai/v1", api: OPENAI_LIKE, models: [], env: [["GROQ_API_KEY"]] },
  ],
  [
    "mistral",
    { baseUrl: "https://api.mistral.ai/v1", api: OPENAI_LIKE, models: [], env: [["MISTRAL_API_KEY"]] },
  ],
  ["xai", { baseUrl: "https://api.x.ai/v1", api: OPENAI_LIKE, models: [], env: [["XAI_API_KEY"]] }],
  [
    "deepseek",
    { baseUrl: "https://api.deepseek.com/v1", api: OPENAI_LIKE, models: [], env: [["DEEPSEEK_API_KEY"]] },
  ],
]);
