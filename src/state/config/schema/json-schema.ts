/** The schema as JSON Schema, for editors. */
import { defined, type JsonObject } from "../../../util/json.ts";
import type { Field } from "./field.ts";
import { ROOT, SECTIONS } from "./index.ts";

export function configSchema(): JsonObject {
  const properties = Object.entries(ROOT.members).map(([name, field]) => {
    const schema = schemaOf(field);
    const unused = SECTIONS[name]?.used === false;
    return [name, unused ? { ...schema, description: `${field.description}. Not used yet` } : schema];
  });
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "colloquy.json",
    description: ROOT.description,
    type: "object",
    properties: { ...Object.fromEntries(properties), $include: INCLUDE },
    additionalProperties: true,
  };
}

const INCLUDE: JsonObject = {
  description: "Files to include here",
  anyOf: [{ type: "string" }, { type: "array", items: { type: "string" } }],
};

function schemaOf(field: Field): JsonObject {
  const { description } = field;
  const preset = field.default === undefined ? {} : { default: field.default };
  switch (field.type) {
    case "any":
      return { description, ...preset };
    case "either":
      return { description, ...preset, anyOf: field.kinds.map(schemaOf) };
    case "array":
      return { description, type: "array", items: schemaOf(field.items), ...preset };
    case "object":
      return {
        description,
        type: "object",
        properties: Object.fromEntries(
          Object.entries(field.members).map(([name, member]) => [name, schemaOf(member)]),
        ),
        additionalProperties: field.others === undefined ? true : schemaOf(field.others),
        ...preset,
      };
    default:
      return {
        description,
        type: field.type === "path" ? "string" : field.type,
        ...defined({ enum: field.enum, minimum: field.min, maximum: field.max }),
        ...defined({ pattern: field.form?.pattern, writeOnly: field.secret }),
        ...preset,
      };
  }
}
