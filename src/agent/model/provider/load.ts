/** The models of the SDK, each from the package that speaks its protocol. Loaded when they are needed. */
import type { LanguageModelV4 } from "@ai-sdk/provider";
import type { GuardedFetch } from "../../../util/guarded-fetch.ts";
import type { Target } from "../target.ts";

/** Replaced by the real one in each request. */
const apiKey = "placeholder";

export async function loadModel(
  { api, provider, model, baseUrl }: Target,
  fetch: GuardedFetch,
): Promise<LanguageModelV4> {
  switch (api) {
    case "anthropic-messages": {
      const { createAnthropic } = await import("../../../util/ai-sdk/anthropic.ts");
      const baseURL = /\/v\d+$/.test(baseUrl) ? baseUrl : `${baseUrl}/v1`;
      return createAnthropic({ baseURL, apiKey, fetch })(model);
    }
    case "openai-responses": {
      const { createOpenAI } = await import("../../../util/ai-sdk/openai.ts");
      return createOpenAI({ baseURL: baseUrl, apiKey, fetch }).responses(model);
    }
    case "google-generative-ai": {
      const { createGoogle } = await import("../../../util/ai-sdk/google.ts");
      return createGoogle({ baseURL: baseUrl, apiKey, fetch })(model);
    }
    case "openai-completions": {
      const { createOpenAICompatible } = await import("../../../util/ai-sdk/openai-compatible.ts");
      return createOpenAICompatible({ name: provider, baseURL: baseUrl, includeUsage: true, fetch })(model);
    }
  }
}
