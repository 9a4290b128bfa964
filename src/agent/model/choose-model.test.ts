import { describe, expect, it } from "vitest";
import { composeModels } from "../../state/models/compose.ts";
import { chooseModel, isOffline, type ModelChoices } from "./choose-model.ts";

const env = { OPENAI_API_KEY: "x", ANTHROPIC_API_KEY: "x", OLLAMA_HOST: "127.0.0.1" };
const models = composeModels({ env }).file;
const none = composeModels({ env: {} }).file;
const preset = { ...models, default: "openai/gpt-5" };

describe("the model that answers", () => {
  it.each<[Omit<ModelChoices, "models"> & Partial<Pick<ModelChoices, "models">>, string, string]>([
    [{ asked: "groq/tiny", modelOverride: "a/b", agent: "c/d", models: preset }, "groq/tiny", "asked"],
    [{ modelOverride: "google/gemini", agent: "c/d", models: preset }, "google/gemini", "session"],
    [{ modelOverride: "gpt-5", providerOverride: "openai" }, "openai/gpt-5", "session"],
    [{ modelOverride: "openai/gpt-5", providerOverride: "openrouter" }, "openrouter/openai/gpt-5", "session"],
    [{ modelOverride: "openai/gpt-5", providerOverride: "openai" }, "openai/gpt-5", "session"],
    [{ providerOverride: "openai" }, "openai/gpt-6-astra", "session"],
    [{ providerOverride: "gone" }, "anthropic/claude-opus-5-5", "available"],
    [{ agent: "ollama/llama", models: preset }, "ollama/llama", "agent"],
    [{ models: preset }, "openai/gpt-5", "default"],
    [{}, "anthropic/claude-opus-5-5", "available"],
    [{ asked: "", modelOverride: "", agent: "" }, "anthropic/claude-opus-5-5", "available"],
    [{ models: none }, "offline/recall", "offline"],
    [{ models: { ...none, default: "offline" } }, "offline/recall", "default"],
    [{ agent: "groq/tiny", fallbacks: ["openai/gpt-5"] }, "groq/tiny", "agent"],
    [{ agent: "mine/tiny" }, "mine/tiny", "agent"],
    [{ asked: "offline", models: preset }, "offline/recall", "asked"],
    [{ models: composeModels({ env: { AWS_PROFILE: "work" } }).file }, "offline/recall", "offline"],
    [{ models: composeModels({ env: { OLLAMA_HOST: "127.0.0.1" } }).file }, "offline/recall", "offline"],
  ])("is chosen by %j", (choices, name, by) => {
    const chosen = chooseModel({ models, ...choices });
    expect(chosen).toEqual({ name, by });
    expect(isOffline(chosen.name)).toBe(name === "offline/recall");
  });

  it("is the offline one if that of the config has no key, and not that of another provider", () => {
    const expected = { name: "offline/recall", by: "offline", insteadOf: "groq/tiny" };
    expect(chooseModel({ models, agent: "groq/tiny" })).toEqual(expected);
    expect(chooseModel({ models: { ...models, default: "groq/tiny" } })).toEqual(expected);
    expect(chooseModel({ models: { ...none, default: "groq/tiny" } })).toEqual(expected);
  });
});
