import type { JsonObject } from "../../../util/json.ts";
import { filledIn, objectIn } from "../../contract/values.ts";

/**
 * Whether records are of llama.cpp's UI, whose sessions look like those of pi
 * but for their `harness`, and whose messages name the session themselves.
 */
export function isLlamaUi(records: readonly JsonObject[]): boolean {
  return records.some(
    ({ type, id, harness, message }) =>
      (type === "session" && filledIn(id) !== undefined && harness === "llama.app") ||
      (type === "message" && filledIn(objectIn(message)?.convId) !== undefined),
  );
}
