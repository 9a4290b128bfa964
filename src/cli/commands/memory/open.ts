/** Opens the memory that the config describes. */
import { join } from "node:path";
import { ColloquyError } from "../../../errors.ts";
import { type EmbeddingSettings, type Memory, openMemory } from "../../../memory/index.ts";
import { isPlainObject } from "../../../util/json.ts";
import { filledIn, numberIn } from "../../../util/values.ts";
import type { Call } from "../../command.ts";
import { type Access, access } from "../auth/access.ts";

export interface OpenedMemory extends AsyncDisposable {
  readonly memory: Memory;
  /** The files and folders of the config. */
  readonly paths: readonly string[];
  readonly hasProvider: boolean;
}

type Section = Readonly<Record<string, unknown>>;

export async function openedMemory(call: Call): Promise<OpenedMemory> {
  const accessed = await access(call, "values", ["env", "memory"]);
  const memorySection = sectionOf(accessed.config.memory);
  const embedding = sectionOf(memorySection.embedding);
  const primary = settingsOf(embedding, accessed);
  const { fallback } = embedding;
  const second = settingsOf(
    typeof fallback === "string" ? { provider: fallback } : sectionOf(fallback),
    accessed,
  );
  const path = filledIn(memorySection.path) ?? join(accessed.stateDir, "memory.db");
  const embeddings = primary === undefined ? undefined : { primary, fallback: second };
  const memory = await openMemory(path, { embeddings });
  const paths = Array.isArray(memorySection.paths) ? memorySection.paths.map(String) : [];
  return { memory, paths, hasProvider: primary !== undefined, [Symbol.asyncDispose]: () => memory.close() };
}

/** `undefined` when no provider is configured. */
function settingsOf(section: Section, { credentials }: Access): EmbeddingSettings | undefined {
  const provider = filledIn(section.provider) as EmbeddingSettings["provider"] | undefined;
  if (provider === undefined) return undefined;
  const given = filledIn(section.apiToken);
  return {
    provider,
    model: filledIn(section.model),
    dimensions: numberIn(section.dimensions),
    baseUrl: filledIn(section.baseUrl),
    localPath: filledIn(section.localPath),
    apiToken: given ?? (() => profileToken(provider, credentials)),
  };
}

/** The token of a profile of `colloquy auth add`; an empty one where the provider may need none. */
async function profileToken(provider: string, credentials: Access["credentials"]): Promise<string> {
  if (provider === "ollama" || provider === "openai-compatible") return "";
  try {
    return (await credentials.resolve(provider)).value ?? "";
  } catch (error) {
    const reason = (error as Error).message;
    throw new ColloquyError("UNAUTHORIZED", `Embeddings of ${provider} need an API token: ${reason}`);
  }
}

function sectionOf(value: unknown): Section {
  return isPlainObject(value) ? value : {};
}
