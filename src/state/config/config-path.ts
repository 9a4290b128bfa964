/** Paths into the config as the user writes them: `channels.telegram.allowFrom[0]`, `env.vars["A.B"]`. */

import { invalid } from "../../errors.ts";
import { checkString, checkStrings } from "../../util/checked-arguments.ts";
import { parseJson } from "../../util/json.ts";
import { isPrototypeKey, type Path } from "../json5/nodes.ts";

const PART = /(?:^|(?!^)\.)([^.[\]"']+)|\[(\d{1,9})\]|\[("(?:\\.|[^"\\])*")\]/y;
const PATH_CHARS_MAX = 1024;

/** A path in either form. */
export function asPath(path: string | Path): Path {
  if (typeof path === "string") return parsePath(path);
  checkStrings(path, "path");
  return path;
}

export function parsePath(text: string): Path {
  checkString(text, "path");
  const path: string[] = [];
  PART.lastIndex = 0;
  while (PART.lastIndex < text.length && text.length <= PATH_CHARS_MAX) {
    const [, name, index, quoted] = PART.exec(text) ?? [];
    const key =
      name ?? index ?? (quoted === undefined ? undefined : (parseJson(quoted) as string | undefined));
    if (key === undefined) break;
    path.push(key);
  }
  if (path.length === 0 || PART.lastIndex < text.length) {
    throw invalid('Not a config path. Examples: gateway.port, list[0], env.vars["A.B"]', "path");
  }
  const bad = path.find(isPrototypeKey);
  if (bad !== undefined) throw invalid(`The key "${bad}" is not allowed anywhere in the config`, "path");
  return path;
}

export function formatPath(path: Path): string {
  checkStrings(path, "path");
  return path
    .map((key, index) => {
      if (index > 0 && /^\d+$/.test(key)) return `[${key}]`;
      if (key === "" || /[.[\]"']/.test(key)) return `[${JSON.stringify(key)}]`;
      return index === 0 ? key : `.${key}`;
    })
    .join("");
}
