/** Opens the memory that the config describes. */
import { join } from "node:path";
import { type Memory, openMemory } from "../../memory/index.ts";
import { filledIn, listIn, objectIn } from "../../util/values.ts";
import { configuredEmbeddings } from "./embeddings.ts";
import type { Installation } from "./installation.ts";

export interface OpenedMemory extends AsyncDisposable {
  readonly memory: Memory;
  /** The files and folders of the config. */
  readonly paths: readonly string[];
  readonly hasProvider: boolean;
}

export async function configuredMemory(
  installation: Pick<Installation, "config" | "credentials" | "stateDir">,
): Promise<OpenedMemory> {
  const section = objectIn(installation.config.memory) ?? {};
  const embeddings = configuredEmbeddings(installation);
  const path = filledIn(section.path) ?? join(installation.stateDir, "memory.db");
  const memory = await openMemory(path, { embeddings });
  return {
    memory,
    paths: listIn(section.paths).map(String),
    hasProvider: embeddings !== undefined,
    [Symbol.asyncDispose]: () => memory.close(),
  };
}
