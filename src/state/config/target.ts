import { join, relative } from "node:path";
import { stateLayout } from "../folder.ts";
import type { Path } from "../json5/nodes.ts";
import { type Draft, folderOf } from "./draft.ts";
import { childTree, innerPath, type Place, type Tree } from "./located.ts";

export interface Target {
  readonly file: string;
  /** The path within that file. */
  readonly inner: Path;
}

/** The file that holds a setting, or that holds what is nearest above it. */
export function targetOf(draft: Draft, path: Path): Target {
  let tree: Tree | undefined = draft.tree;
  let place: Place = tree.at;
  let known = 0;
  for (const key of path) {
    tree = childTree(tree, key);
    if (tree === undefined) break;
    place = tree.at;
    known++;
  }
  const { file } = place.source;
  if (file === null) return { file: ownPath(draft, draft.file), inner: path };
  return { file: ownPath(draft, file), inner: [...innerPath(place), ...path.slice(known)] };
}

/** Where a file is changed: an adopted one in our folder, a link where it leads to. */
export function ownPath(draft: Draft, file: string): string {
  const { reads, adopted, options } = draft;
  if (!adopted) return reads.exists(file) ? reads.realPath(file) : file;
  if (file === draft.file) return stateLayout(options.stateDir).config;
  return join(options.stateDir, relative(reads.realPath(folderOf(draft)), file));
}
