export { createOpenAICompatible } from "@ai-sdk/openai-compatible";
