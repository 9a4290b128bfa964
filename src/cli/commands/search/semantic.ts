/** The embedding model of the config, for searches by meaning. */
import { configuredEmbeddings } from "../../../channel/setup/embeddings.ts";
import { invalid } from "../../../errors.ts";
import { openEmbeddings } from "../../../memory/index.ts";
import type { SearchOptions, SemanticModel } from "../../../store/index.ts";
import { objectIn } from "../../../util/values.ts";
import type { Call } from "../../command.ts";
import { PROGRAM } from "../../invocation.ts";
import { access } from "../auth/access.ts";

export interface ConfiguredSearch {
  readonly mode: NonNullable<SearchOptions["mode"]>;
  readonly semantic?: SemanticModel;
}

/**
 * How to search: as the user says, or else by words and meaning if the config allows it. It must be allowed there,
 * because every message is sent to the provider.
 */
export async function configuredSearch(call: Call, mode: SearchOptions["mode"]): Promise<ConfiguredSearch> {
  if (mode === "keyword") return { mode };
  const accessed = await access(call, "values", ["env", "memory", "search"]);
  const isAllowed = objectIn(accessed.config.search)?.semantic === true;
  if (!isAllowed && mode === undefined) return { mode: "keyword" };
  if (!isAllowed) {
    const advice = `${PROGRAM} config set search.semantic true`;
    throw invalid(
      `--mode ${mode} sends messages to the provider of embeddings. To allow it: ${advice}`,
      "mode",
    );
  }
  const embeddings = configuredEmbeddings(accessed);
  if (embeddings === undefined) {
    throw invalid(
      `search.semantic needs a provider of embeddings: ${PROGRAM} config set memory.embedding.provider ollama`,
      "memory.embedding.provider",
    );
  }
  const [semantic] = openEmbeddings({ primary: embeddings.primary }).providers;
  return semantic === undefined ? { mode: "keyword" } : { mode: mode ?? "hybrid", semantic };
}
