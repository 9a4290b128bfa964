export { CATALOGUE, PRICES_AS_OF } from "./catalogue.ts";
export { composeModels } from "./compose.ts";
export type {
  ComposedModels,
  ModelCost,
  ModelSpec,
  ModelsFile,
  ModelsInput,
  ProviderSource,
  ProviderSpec,
} from "./types.ts";
export { type WriteModelsOptions, type WrittenModels, writeModelsConfig } from "./write-models.ts";
