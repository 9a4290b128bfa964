import { basename, dirname } from "node:path";
import type { ColloquyError } from "../../../errors.ts";
import { absolute } from "../../folder.ts";
import type { Path } from "../../json5/nodes.ts";
import { parseJson5 } from "../../json5/parse.ts";
import { type ConfigBuild, folderOf } from "../config-build.ts";
import { formatPath } from "../config-path.ts";
import { confined } from "../files/confined.ts";
import { readText } from "../files/read-file.ts";
import { stopping } from "../finding.ts";
import { locate, mapTree, type Place, type Tree, type TreeObject } from "../located.ts";
import { INCLUDE_RULES, merge } from "../merge.ts";

const DEPTH_MAX = 10;
/** Ten levels of ten files each would never finish loading. */
const INCLUDES_MAX = 1000;
const INCLUDE = "$include";

/** Step 4: replace each `$include` with the content of its files. */
export function resolveIncludes(build: ConfigBuild): void {
  const includer = new Includer(build);
  build.tree = includer.resolve(build.tree, [], [realPath(build)]);
}

/** The main file may be a link. */
function realPath({ reads, file }: ConfigBuild): string {
  try {
    return reads.realPath(file);
  } catch {
    // It has just disappeared. The check after the last step notices.
    return file;
  }
}

class Includer {
  readonly #build: ConfigBuild;
  #count = 0;

  constructor(build: ConfigBuild) {
    this.#build = build;
  }

  /** `chain` holds the files from the main one to the current one. */
  resolve(tree: Tree, path: string[], chain: readonly string[]): Tree {
    const rest = mapTree(tree, (child, key) => {
      if (key === INCLUDE && tree.kind === "object") return child;
      // One shared array: the path is needed only for errors.
      path.push(key);
      const now = this.resolve(child, path, chain);
      path.pop();
      return now;
    });
    const include = rest.kind === "object" ? rest.members.get(INCLUDE) : undefined;
    if (rest.kind !== "object" || include === undefined) return rest;
    const members = new Map(rest.members);
    members.delete(INCLUDE);
    return this.#included(include, { ...rest, members }, path, chain);
  }

  #included(include: Tree, rest: TreeObject, path: string[], chain: readonly string[]): Tree {
    const wanted = include.kind === "array" ? include.items : [include];
    if (wanted.length === 0) return rest;
    const trees = wanted.map((name) => this.#load(name, path, chain));
    const content = trees.reduce((base, over) => merge(base, over, INCLUDE_RULES));
    if (rest.members.size === 0) return content;
    if (content.kind !== "object") {
      throw wrong(
        "include-shape",
        "A file that is included beside other keys must contain an object",
        path,
        include.at,
      );
    }
    return merge(content, rest, INCLUDE_RULES);
  }

  #load(name: Tree, path: string[], chain: readonly string[]): Tree {
    const { at } = name;
    if (name.kind !== "value" || typeof name.value !== "string" || name.value === "") {
      throw wrong("include-name", "$include must be a file name or a list of file names", path, at);
    }
    if (chain.length > DEPTH_MAX) {
      throw wrong("include-depth", `Includes are nested deeper than ${DEPTH_MAX} files`, path, at);
    }
    if (++this.#count > INCLUDES_MAX) {
      throw wrong("include-count", `There are more than ${INCLUDES_MAX} includes`, path, at);
    }
    const file = this.#find(name.value, path, at);
    if (chain.includes(file)) {
      const circle = [...chain.slice(chain.indexOf(file)), file].map((link) => basename(link)).join(" → ");
      throw wrong("include-cycle", `Includes form a cycle: ${circle}`, path, at);
    }
    const text = readText(this.#build, file);
    const via = `${at.source.file}:${at.line}:${at.column}`;
    const tree = locate(parseJson5(text, file), { kind: "include", file, via });
    return this.resolve(tree, path, [...chain, file]);
  }

  #find(name: string, path: Path, at: Place): string {
    const { reads, home } = this.#build;
    const from = dirname(at.source.file ?? this.#build.file);
    const found = confined({ reads, home, root: folderOf(this.#build) }, name, from);
    // A link that is redirected is a change, and so is a file that appears.
    const wanted = absolute(name, home, from);
    if (wanted !== found) this.#build.stamps.set(wanted, reads.stamp(wanted));
    if (typeof found === "string") {
      this.#build.includes.push({ at, file: found });
      return found;
    }
    throw wrong(`include-${found.problem}`, found.message, path, at);
  }
}

function wrong(code: string, message: string, path: Path, at: Place): ColloquyError {
  const { source, line, column } = at;
  const where = [...path, INCLUDE];
  return stopping(code, `${message} (at ${formatPath(where)})`, {
    path: formatPath(where),
    file: source.file,
    line,
    column,
  });
}
