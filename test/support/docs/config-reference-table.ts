/** The table of the reference page, so that the page cannot say anything else than the code. */
import type { Field } from "../../../src/state/config/schema/field.ts";
import { kindOf } from "../../../src/state/config/schema/field-at.ts";
import { ROOT, SECTIONS } from "../../../src/state/config/schema/index.ts";

/** Every section and setting as Markdown. `*` stands for any name, `[]` for an item of a list. */
export function referenceTable(): string {
  return Object.entries(ROOT.members)
    .filter(([name]) => SECTIONS[name] !== undefined)
    .map(([name, field]) => section(name, field))
    .join("\n");
}

function section(name: string, field: Field): string {
  const unused = SECTIONS[name]?.used === true ? "" : " Not used yet.";
  const rows = settings(field, name);
  const table =
    rows.length === 0
      ? []
      : ["", "| Setting | Takes | Default | Meaning |", "| --- | --- | --- | --- |", ...rows];
  return [`### \`${name}\``, "", `${field.description}.${unused}`, ...table, ""].join("\n");
}

function settings(field: Field, path: string): string[] {
  if (field.type === "array") return settings(field.items, `${path}[]`);
  if (field.type === "either") return field.kinds.flatMap((kind) => settings(kind, path));
  if (field.type !== "object") return [];
  const own = Object.entries(field.members).flatMap(([key, member]) => described(member, `${path}.${key}`));
  const others =
    field.others === undefined || field.others.type === "any" ? [] : described(field.others, `${path}.*`);
  return [...own, ...others];
}

function described(field: Field, path: string): string[] {
  const below = settings(field, path);
  if (field.type === "object" && below.length > 0) return below;
  const preset = field.default === undefined ? "" : `\`${JSON.stringify(field.default)}\``;
  const secret = field.secret === true ? ", secret" : "";
  return [`| \`${path}\` | ${kindOf(field)}${secret} | ${preset} | ${field.description} |`, ...below];
}
