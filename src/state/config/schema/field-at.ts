import { isIndex, type Path } from "../../json5/nodes.ts";
import type { Field } from "./field.ts";
import { ROOT } from "./index.ts";

/** The schema of the value at a path; `undefined` where there is none. */
export function fieldAt(path: Path): Field | undefined {
  let field: Field | undefined = ROOT;
  for (const key of path) {
    if (field === undefined) return undefined;
    field = childField(field, key);
  }
  return field;
}

export function childField(field: Field, key: string): Field | undefined {
  if (field.type === "object") {
    return Object.hasOwn(field.members, key) ? field.members[key] : field.others;
  }
  if (field.type === "array") return isIndex(key) ? field.items : undefined;
  if (field.type === "either") {
    for (const kind of field.kinds) {
      const child = childField(kind, key);
      if (child !== undefined) return child;
    }
  }
  return field.type === "any" ? field : undefined;
}

/** The type in words, for messages and docs. */
export function kindOf(field: Field): string {
  switch (field.type) {
    case "string":
      return field.enum === undefined
        ? (field.form?.words ?? "a string")
        : `one of ${field.enum.map((name) => `"${name}"`).join(", ")}`;
    case "path":
      return "a path";
    case "number":
      return field.min === undefined ? "a number" : `a number of at least ${field.min}`;
    case "integer":
      return field.max === Number.MAX_SAFE_INTEGER
        ? `an integer of at least ${field.min}`
        : `an integer from ${field.min} to ${field.max}`;
    case "boolean":
      return "true or false";
    case "array":
      return "a list";
    case "object":
      return "an object";
    case "either":
      return field.kinds.map(kindOf).join(", or ");
    case "any":
      return "anything";
  }
}
