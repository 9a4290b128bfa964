/** The query of a request, with the types that its schema names. */
import type { ObjectSchema } from "../../agent/index.ts";
import { invalid } from "../../errors.ts";
import type { Json, JsonObject } from "../../util/json.ts";

export function readQuery(search: string, schema: ObjectSchema): JsonObject {
  const query: [string, Json][] = [];
  const seen = new Set<string>();
  for (const [name, text] of new URLSearchParams(search)) {
    if (seen.has(name)) throw invalid(`${name} is given twice`, name);
    seen.add(name);
    query.push([name, typed(text, schema.properties, name)]);
  }
  return Object.fromEntries(query);
}

/** Unknown properties stay texts; the check against the schema refuses them. */
function typed(text: string, properties: ObjectSchema["properties"], name: string): Json {
  const type = Object.hasOwn(properties, name) ? properties[name]?.type : undefined;
  if (type === "boolean") return text === "true" ? true : text === "false" ? false : text;
  if (type === "integer" || type === "number") return /^-?\d+(?:\.\d+)?$/.test(text) ? Number(text) : text;
  return text;
}
