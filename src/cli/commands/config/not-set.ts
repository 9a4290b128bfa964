import { ColloquyError } from "../../../errors.ts";
import { formatPath } from "../../../state/config/config-path.ts";
import { fieldAt } from "../../../state/config/schema/field-at.ts";
import type { Path } from "../../../state/json5/nodes.ts";
import { closestWord } from "../../../util/closest-word.ts";
import type { JsonObject } from "../../../util/json.ts";

/** Nothing is there: because nobody set it, or because of a slip of the pen. */
export function notSet(config: JsonObject, path: Path): ColloquyError {
  const text = formatPath(path);
  const near = meant(config, path);
  const hint = near !== "" || !isListed(path) ? near : ". It is known, but not set, and has no default";
  return new ColloquyError("NOT_FOUND", `There is no "${text}" in the config${hint}`, { field: "PATH" });
}

/** Named in the table, not only allowed there. */
function isListed(path: Path): boolean {
  const holder = fieldAt(path.slice(0, -1));
  return holder?.type === "object" && Object.hasOwn(holder.members, path.at(-1) ?? "");
}

/** The first key that nothing knows, and what is like it. */
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
      return near === undefined ? "" : `: did you mean "${formatPath([...before, near])}"?`;
    }
    at = (at as JsonObject | undefined)?.[key];
  }
  return "";
}
