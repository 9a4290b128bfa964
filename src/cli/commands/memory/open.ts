/** Opens the memory that the config describes. */
import { join } from "node:path";
import { type Memory, openMemory } from "../../../memory/index.ts";
import { filledIn } from "../../../util/values.ts";
import type { Call } from "../../command.ts";
import { access } from "../auth/access.ts";
import { configuredEmbeddings, sectionOf } from "./embeddings.ts";

export interface OpenedMemory extends AsyncDisposable {
  readonly memory: Memory;
  /** The files and folders of the config. */
  readonly paths: readonly string[];
  readonly hasProvider: boolean;
}

export async function openedMemory(call: Call): Promise<OpenedMemory> {
  const accessed = await access(call, "values", ["env", "memory"]);
  const memorySection = sectionOf(accessed.config.memory);
  const embeddings = configuredEmbeddings(accessed);
  const path = filledIn(memorySection.path) ?? join(accessed.stateDir, "memory.db");
  const memory = await openMemory(path, { embeddings });
  const paths = Array.isArray(memorySection.paths) ? memorySection.paths.map(String) : [];
  return {
    memory,
    paths,
    hasProvider: embeddings !== undefined,
    [Symbol.asyncDispose]: () => memory.close(),
  };
}
