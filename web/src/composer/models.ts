import type { ListOf, ModelView } from "../../../src/gateway/wire/rest.ts";
import { api } from "../api/api.ts";

export async function readModels(signal?: AbortSignal): Promise<readonly ModelView[]> {
  return (await api<ListOf<ModelView>>("GET", "models", signal && { signal })).items;
}

/** The whole name of a model that can answer, also from the part after the provider. Rejects with what to do. */
export async function modelNamed(text: string): Promise<string> {
  if (text === "") throw new Error("The name of a model is missing, such as /model openai/gpt-5.");
  const models = await readModels();
  const found =
    models.find(({ name }) => name === text) ?? models.find(({ name }) => name.endsWith(`/${text}`));
  if (!found) throw new Error(`There is no model ${text}. The button below the field lists them.`);
  if (!found.available)
    throw new Error(`${found.name} needs a key: run colloquy auth add ${found.name.split("/", 1)[0]}.`);
  return found.name;
}
