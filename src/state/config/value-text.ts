import type { Json } from "../../util/json.ts";
import { jsonOf, type Path } from "../json5/nodes.ts";
import { parseJson5 } from "../json5/parse.ts";
import type { Field } from "./schema/field.ts";
import { fieldAt } from "./schema/field-at.ts";

/** Parse a value as the user types it: JSON5, or a bare string where the setting is a string. */
export function valueOfText(typed: string, path: Path): Json {
  const field = fieldAt(path);
  const parsed = tryJson5(typed);
  if (field !== undefined && isText(field)) return typeof parsed === "string" ? parsed : typed;
  if (parsed !== undefined) return parsed;
  const container = field?.type === "object" || field?.type === "array" || /^\s*[[{]/.test(typed);
  // A syntax error is more helpful than storing the text as a string.
  return container ? jsonOf(parseJson5(typed, "VALUE"), "VALUE") : typed;
}

function isText(field: Field): boolean {
  return field.type === "string" || field.type === "path";
}

function tryJson5(typed: string): Json | undefined {
  try {
    return jsonOf(parseJson5(typed, "VALUE"), "VALUE");
  } catch {
    return undefined;
  }
}
