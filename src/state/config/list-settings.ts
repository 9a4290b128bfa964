/** Every setting of a config, for pages that show all of them. */
import { isPlainObject, type Json } from "../../util/json.ts";
import type { Path } from "../json5/nodes.ts";
import type { ConfigOptions, Origin } from "./config-build.ts";
import { formatPath } from "./config-path.ts";
import { hideSecrets } from "./hide-secrets.ts";
import { loadBuild, loaded } from "./load.ts";
import type { Field } from "./schema/field.ts";
import { childField, kindOf } from "./schema/field-at.ts";
import { ROOT, SECTIONS } from "./schema/index.ts";

export interface Setting {
  readonly path: string;
  /** With secrets masked; `null` if it is not set. */
  readonly value: Json;
  readonly source: Origin | null;
  readonly description: string | null;
  /** Which values it takes, in words. */
  readonly kind: string | null;
  readonly secret: boolean;
}

/** The settings that this version uses, and those that are set, in the order of the schema. */
export async function listSettings(options: ConfigOptions): Promise<Setting[]> {
  const config = loaded(await loadBuild({ ...options, tolerant: true }));
  const shown = hideSecrets(config, config.value, []);
  const settings: Setting[] = [];
  const visit = (value: Json | undefined, field: Field | undefined, path: Path): void => {
    const inner = isPlainObject(value) ? value : {};
    const known = field?.type === "object" ? Object.keys(field.members) : [];
    const names = new Set([...known, ...Object.keys(inner)]);
    // A map without entries is a setting itself.
    if (names.size > 0) {
      for (const name of names) {
        if (path.length === 0 && !Object.hasOwn(inner, name) && !isShown(name)) continue;
        const child = inner[name] as Json | undefined;
        visit(child, field && childField(field, name), [...path, name]);
      }
      return;
    }
    settings.push({
      path: formatPath(path),
      value: value ?? null,
      source: config.sourceOf(path) ?? null,
      description: field?.description ?? null,
      kind: field === undefined ? null : kindOf(field),
      secret: field?.secret === true,
    });
  };
  visit(shown, ROOT, []);
  return settings;
}

/** Whether a section without values is listed. Nobody sets `meta`, and `$schema` is for editors. */
function isShown(section: string): boolean {
  return section !== "meta" && SECTIONS[section]?.used === true;
}
