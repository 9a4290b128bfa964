/**
 * `credentials/seal-keys.json` in the state folder: the keys, each with its
 * value or the name of the key store that holds it.
 */
import { ColloquyError } from "../../../errors.ts";
import { isPlainObject } from "../../../util/json.ts";
import { KEY_BYTES } from "./sealed.ts";
import { parseSecretJson, refuseNewer } from "./secret-json.ts";

export type KeyPlace = { readonly key: string } | { readonly store: string };

export interface KeyFile {
  readonly current: string | undefined;
  readonly keys: ReadonlyMap<string, KeyPlace>;
}

const VERSION = 1;
const ID = /^[0-9a-f]{12}$/;

export function parseKeyFile(text: string, path: string): KeyFile {
  const parsed = parseSecretJson(text);
  if (!("value" in parsed)) throw damaged(path, ` in line ${parsed.line}, column ${parsed.column}`);
  const { value } = parsed;
  if (!isPlainObject(value) || !isPlainObject(value.keys)) throw damaged(path, "");
  refuseNewer(value, VERSION, path);
  const keys = new Map(
    Object.entries(value.keys).map(([id, place]) => {
      if (!ID.test(id) || !isKeyPlace(place)) throw damaged(path, "");
      return [id, place] as const;
    }),
  );
  const current = typeof value.current === "string" && keys.has(value.current) ? value.current : undefined;
  return { current, keys };
}

function isKeyPlace(place: unknown): place is KeyPlace {
  if (!isPlainObject(place)) return false;
  if (typeof place.store === "string") return true;
  return typeof place.key === "string" && Buffer.from(place.key, "base64").length === KEY_BYTES;
}

export function keyFileText({ current, keys }: KeyFile): string {
  return `${JSON.stringify({ version: VERSION, current, keys: Object.fromEntries(keys) }, null, 2)}\n`;
}

/** Never set aside automatically: without a key, everything it sealed is lost. */
function damaged(path: string, where: string): ColloquyError {
  return new ColloquyError(
    "VALIDATION_ERROR",
    `${path} is damaged${where}. It holds the keys of sealed secrets: restore it from a backup, or move it and add the secrets again`,
    { field: "seal-keys.json", details: { file: path } },
  );
}
