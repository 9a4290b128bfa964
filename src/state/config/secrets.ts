/** Values that are never shown. */

import { maskSecret } from "../../secrets/mask.ts";
import { closestWord } from "../../util/closest-word.ts";
import type { Json } from "../../util/json.ts";
import type { Path } from "../json5/nodes.ts";
import type { LoadedConfig } from "./config-build.ts";
import type { Field } from "./schema/field.ts";
import { childField } from "./schema/field-at.ts";
import { ROOT } from "./schema/index.ts";

const SECRET_NAME =
  /(?:token|secret|passwo?r?d|passphrase|pass|key|credential|authorization|cookie|bearer|header)s?$/i;
/** A word of its own: a spin is no secret. */
const PIN_NAME = /(?:(?:^|[-_])pin|(?:^|[-_a-z\d])Pin|PIN)s?$/;
/** Keys that lock nothing. */
const OPEN_NAME =
  /(?:public|session|main|group|thread|cache|sort|primary|foreign|partition|idempotency|hot|shortcut|mon|don|tur|whis)[-_]?keys?$/i;
/** How many, where it is a number: `maxTokens`. */
const COUNT_NAME = /[a-z\d][-_]?tokens$/i;
const COUNT_MAX = 1e9;
const VARIABLE_NAME = /(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASS|CREDENTIALS?|COOKIE|AUTH)S?$/;

/** Whether a key is the name of a secret, wherever it stands. */
function isSecretName(key: string): boolean {
  return (SECRET_NAME.test(key) && !OPEN_NAME.test(key)) || PIN_NAME.test(key);
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
  withoutSecrets(value, [], keep);
  return [...found];
}

/** Where a value stands, as far as it matters for whether it is shown. */
interface Standing {
  readonly key: string;
  readonly field: Field | undefined;
  /** It is a secret, or part of one. */
  readonly hidden: boolean;
}

/** The value at a path without its secrets: those that the table calls so, and those whose key sounds like one. */
export function withoutSecrets(value: Json, path: Path, found: (secret: string) => void = () => {}): Json {
  const root: Standing = { key: "", field: ROOT, hidden: false };
  return masked(value, path.reduce(below, root), found);
}

function masked(value: Json, standing: Standing, found: (secret: string) => void): Json {
  if (typeof value === "object" && value !== null) {
    const child = (key: string, member: Json): Json => masked(member, below(standing, key), found);
    if (Array.isArray(value)) return value.map((item: Json, index) => child(String(index), item));
    return Object.fromEntries(
      Object.entries(value).map(([key, member]) => [key, child(key, member as Json)]),
    );
  }
  const text = typeof value === "string" || (typeof value === "number" && !isCount(value, standing));
  if (!standing.hidden || !text) return value;
  found(String(value));
  return maskSecret(String(value));
}

function isCount(value: number, { key, field }: Standing): boolean {
  const known = (field?.type === "integer" || field?.type === "number") && field.secret !== true;
  return known || (COUNT_NAME.test(key) && Math.abs(value) < COUNT_MAX);
}

function below({ field, hidden }: Standing, key: string): Standing {
  const child = field === undefined ? undefined : childField(field, key);
  const secret = child?.secret === true || isSecretName(key);
  if (secret || field?.type !== "object" || Object.hasOwn(field.members, key)) {
    return { key, field: child, hidden: hidden || secret };
  }
  // A slip of the pen does not make a secret fit to be seen.
  const meant = closestWord(key, Object.keys(field.members));
  const near = meant === undefined ? undefined : field.members[meant];
  const slip = near?.secret === true || near?.type === "object";
  return { key, field: slip ? near : child, hidden: hidden || near?.secret === true };
}
