import { ColloquyError } from "../../../errors.ts";
import { formatPath } from "../../../state/config/config-path.ts";
import { fieldAt } from "../../../state/config/schema/field-at.ts";
import type { Path } from "../../../state/json5/nodes.ts";
import { closestWord } from "../../../util/closest-word.ts";
import type { JsonObject } from "../../../util/json.ts";

/** The setting is not set, or its path is mistyped. */
export function notSet(config: JsonObject, path: Path): ColloquyError {
  const text = formatPath(path);
  const near = meant(config, path);
  const hint = near !== "" || !isListed(path) ? near : ": it is a known setting without a value or default";
  return new ColloquyError("NOT_FOUND", `"${text}" is not set in the config${hint}`, { field: "PATH" });
}

/** Whether the schema names it, rather than only allowing it. */
function isListed(path: Path): boolean {
  const holder = fieldAt(path.slice(0, -1));
  return holder?.type === "object" && Object.hasOwn(holder.members, path.at(-1) ?? "");
}

/** A suggestion for the first unknown key. */
function meant(config: JsonObject, path: Path): string {
  let at: unknown = config;
  for (const [depth, key] of path.entries()) {
    const before = path.slice(0, depth);
    const field = fieldAt(before);
    const known = [
      ...(typeof at === "object" && at !== null ? Object.keys(at) : []),
      ...(field?.type === "object" ? Object.keys(field.members) : []),
    ];
    if (!known.includes(key)) {
      const near = closestWord(key, known);
      return near === undefined ? "" : `; did you mean "${formatPath([...before, near])}"?`;
    }
    at = (at as JsonObject | undefined)?.[key];
  }
  return "";
}
