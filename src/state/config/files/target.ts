import { join, relative } from "node:path";
import { invalid } from "../../../errors.ts";
import { stateLayout } from "../../folder.ts";
import type { Path } from "../../json5/nodes.ts";
import { type ConfigBuild, folderOf } from "../config-build.ts";
import { formatPath } from "../config-path.ts";
import { childTree, innerPath, type Place, type Tree } from "../located.ts";

export interface Target {
  readonly file: string;
  /** The path within that file. */
  readonly inner: Path;
}

/** The file that holds a setting or its nearest ancestor. */
export function targetOf(build: ConfigBuild, path: Path): Target {
  let tree: Tree | undefined = build.tree;
  let place: Place = tree.at;
  let known = 0;
  let holder: Tree = tree;
  for (const key of path) {
    tree = childTree(holder, key);
    if (tree === undefined) break;
    holder = tree;
    place = tree.at;
    known++;
  }
  const { file } = place.source;
  if (file === null) return { file: ownPath(build, build.file), inner: path };
  const rest = tree === undefined ? newItem(holder, path, known) : [];
  return { file: ownPath(build, file), inner: [...innerPath(place), ...rest] };
}

/** The path to create below a place. The next item of a joined list has another index in its file. */
function newItem(holder: Tree, path: Path, known: number): Path {
  const [key = "", ...rest] = path.slice(known);
  if (holder.kind !== "array") return [key, ...rest];
  const next = holder.items.length;
  if (key !== String(next)) {
    const list = path.slice(0, known);
    const message = `"${formatPath([...list, key])}" is beyond the end of the list; the next item is ${formatPath([...list, String(next)])}`;
    throw invalid(message, "path");
  }
  return [String(holder.items.filter(({ at }) => at.up === holder.at).length), ...rest];
}

/** Where a file is changed: an adopted one in our folder, a link at its target. */
export function ownPath(build: ConfigBuild, file: string): string {
  const { reads, adopted, options } = build;
  if (!adopted) return reads.exists(file) ? reads.realPath(file) : file;
  const layout = stateLayout(options.stateDir);
  if (file === build.file) return layout.config;
  // Patches are found by name, even when they are links.
  const patch = build.patches.find(({ tree }) => tree.at.source.file === file);
  if (patch !== undefined) return join(layout.patches, patch.name);
  return join(options.stateDir, relative(reads.realPath(folderOf(build)), file));
}
