/** Config values as they may be shown. */
import { maskSecret } from "../../secrets/mask.ts";
import { redactJson } from "../../secrets/redact-secrets.ts";
import { isSecretName, isTokenCount, secretsIn } from "../../secrets/secret-names.ts";
import { closestWord } from "../../util/closest-word.ts";
import type { Json } from "../../util/json.ts";
import type { Path } from "../json5/nodes.ts";
import type { LoadedConfig } from "./config-build.ts";
import type { Field } from "./schema/field.ts";
import { childField } from "./schema/field-at.ts";
import { ROOT } from "./schema/index.ts";

/** The value at a path without known secrets and without values that look like one. */
export function hideSecrets(config: LoadedConfig, value: Json, path: Path): Json {
  return redactJson(maskFields(value, path), secretsOf(config));
}

const KNOWN_CHARS_MIN = 8;

/** Every secret in a config and its environment, to be hidden wherever else it occurs. */
export function secretsOf({ value, env }: Pick<LoadedConfig, "value" | "env">): string[] {
  const found = new Set(secretsIn(env, KNOWN_CHARS_MIN));
  maskFields(value, [], (secret) => {
    if (secret.length >= KNOWN_CHARS_MIN) found.add(secret);
  });
  return [...found];
}

/** A place in the config, as far as it matters for masking. */
interface Place {
  readonly key: string;
  readonly field: Field | undefined;
  /** It is a secret, or part of one. */
  readonly hidden: boolean;
}

/** Mask the values that the schema calls secret, and those whose key sounds secret. */
export function maskFields(value: Json, path: Path, found: (secret: string) => void = () => {}): Json {
  const root: Place = { key: "", field: ROOT, hidden: false };
  return masked(value, path.reduce(below, root), found);
}

function masked(value: Json, place: Place, found: (secret: string) => void): Json {
  if (typeof value === "object" && value !== null) {
    const child = (key: string, inner: Json): Json => masked(inner, below(place, key), found);
    if (Array.isArray(value)) return value.map((item: Json, index) => child(String(index), item));
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, child(key, inner as Json)]));
  }
  const maskable = typeof value === "string" || (typeof value === "number" && !isCount(value, place));
  if (!place.hidden || !maskable) return value;
  found(String(value));
  return maskSecret(String(value));
}

function isCount(value: number, { key, field }: Place): boolean {
  const known = (field?.type === "integer" || field?.type === "number") && field.secret !== true;
  return known || isTokenCount(key, value);
}

function below({ field, hidden }: Place, key: string): Place {
  const child = field === undefined ? undefined : childField(field, key);
  const secret = child?.secret === true || isSecretName(key);
  if (secret || field?.type !== "object" || Object.hasOwn(field.members, key)) {
    return { key, field: child, hidden: hidden || secret };
  }
  // A typo in the key of a secret must not expose it.
  const meant = closestWord(key, Object.keys(field.members));
  const near = meant === undefined ? undefined : field.members[meant];
  const typo = near?.secret === true || near?.type === "object";
  return { key, field: typo ? near : child, hidden: hidden || near?.secret === true };
}
