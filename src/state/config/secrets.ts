/** Values that are never shown. */
import type { Json } from "../../util/json.ts";
import { maskSecret } from "../credentials/mask.ts";
import type { Path } from "../json5/nodes.ts";
import type { LoadedConfig } from "./draft.ts";
import type { Field } from "./schema/field.ts";
import { childField } from "./schema/field-at.ts";
import { ROOT } from "./schema/index.ts";

const SECRET_NAME =
  /(?:token|secret|passwo?r?d|passphrase|pass|api[-_]?key|access[-_]?key|private[-_]?key|signing[-_]?key|credentials?|authorization|cookie|bearer|headers?)s?$/i;
const VARIABLE_NAME = /(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASS|CREDENTIALS?|COOKIE|AUTH)S?$/;

/** Whether a key is the name of a secret, wherever it stands. */
function isSecretName(key: string): boolean {
  return SECRET_NAME.test(key);
}

/** Whether a variable is the name of a secret. */
function isSecretVariable(name: string): boolean {
  return VARIABLE_NAME.test(name);
}

const KNOWN_CHARS_MIN = 8;

/** Every secret of a config, and of the variables that sound like one: wherever else they stand, they are to be hidden. */
export function secretsOf({ value, env }: Pick<LoadedConfig, "value" | "env">): string[] {
  const found = new Set<string>();
  const keep = (secret: string | undefined): void => {
    if (secret !== undefined && secret.length >= KNOWN_CHARS_MIN) found.add(secret);
  };
  for (const [name, secret] of Object.entries(env)) if (isSecretVariable(name)) keep(secret);
  withoutSecrets(value, ROOT, [], false, keep);
  return [...found];
}

/** A value without its secrets: those that the table calls so, and those whose key sounds like one. */
export function withoutSecrets(
  value: Json,
  field: Field | undefined,
  path: Path,
  hidden = false,
  found: (secret: string) => void = () => {},
): Json {
  const hide = hidden || field?.secret === true || isSecretName(path.at(-1) ?? "");
  if (typeof value === "string") {
    if (!hide) return value;
    found(value);
    return maskSecret(value);
  }
  if (typeof value === "number" && field?.secret === true) return maskSecret(String(value));
  if (typeof value !== "object" || value === null) return value;
  const child = (key: string, member: Json): Json =>
    withoutSecrets(
      member,
      field === undefined ? undefined : childField(field, key),
      [...path, key],
      hide,
      found,
    );
  if (Array.isArray(value)) return value.map((item: Json, index) => child(String(index), item));
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, child(key, member as Json)]));
}
