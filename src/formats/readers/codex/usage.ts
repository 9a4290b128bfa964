import { defined, type Json, type JsonObject } from "../../../util/json.ts";
import { numberIn, objectIn } from "../../../util/values.ts";

/** Token counts of the last request. Input tokens include cached ones. */
export function usageOf(info: Json | undefined): JsonObject | undefined {
  const last = objectIn(objectIn(info)?.last_token_usage);
  const [input, output] = [numberIn(last?.input_tokens), numberIn(last?.output_tokens)];
  if (last === undefined || (input === undefined && output === undefined)) return undefined;
  const read = numberIn(last.cached_input_tokens);
  const written = numberIn(last.cache_write_input_tokens);
  return defined({
    input_tokens: Math.max(0, (input ?? 0) - (read ?? 0) - (written ?? 0)),
    output_tokens: output ?? 0,
    cache_read_input_tokens: read,
    cache_creation_input_tokens: written,
    reasoning_tokens: numberIn(last.reasoning_output_tokens),
  });
}
