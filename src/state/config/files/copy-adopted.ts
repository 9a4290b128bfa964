import { dirname, isAbsolute, join, relative, sep } from "node:path";
import { ColloquyError } from "../../../errors.ts";
import { absolute, stateLayout } from "../../folder.ts";
import { setAt } from "../../json5/edit.ts";
import { nodeAt, type Path } from "../../json5/nodes.ts";
import { parseJson5 } from "../../json5/parse.ts";
import { type ConfigBuild, dotEnvOf, folderOf } from "../config-build.ts";
import { innerPath, type Place, type Tree } from "../located.ts";
import type { Field } from "../schema/field.ts";
import { childField } from "../schema/field-at.ts";
import { ROOT } from "../schema/index.ts";
import { ownPath } from "./target.ts";

/**
 * The files of an adopted config as they will be written to our folder: all of
 * them, because the originals are no longer read. Their meaning stays the
 * same: paths lead where they led, and includes lead to the copies.
 */
export function copyAdopted(build: ConfigBuild): Map<string, string> {
  const texts = new Map<string, string>();
  for (const [own, file] of copies(build)) texts.set(own, textOf(build, file));
  const edit = (at: Place, changed: (text: string) => string): void => {
    const own = ownPath(build, at.source.file as string);
    const text = texts.get(own) as string;
    texts.set(own, withText(text, innerPath(at), changed, own));
  };
  // Within the same folder all paths keep their meaning.
  if (folderOf(build) !== build.options.stateDir) {
    for (const { at, file } of build.includes) edit(at, (name) => includeName(build, at, name, file));
    for (const at of relativePaths(build.tree, ROOT)) edit(at, (path) => fromFolder(build, path));
  }
  for (const [own, text] of texts) if (isThere(build, own, text)) texts.delete(own);
  return texts;
}

/** Where each file is copied to. */
function copies(build: ConfigBuild): Map<string, string> {
  const dotEnv = dotEnvOf(build);
  const { env, patches } = stateLayout(build.options.stateDir);
  return new Map([
    ...build.files.map((file) => [file === dotEnv ? env : ownPath(build, file), file] as const),
    ...build.patches.map(({ name, tree }) => [join(patches, name), tree.at.source.file as string] as const),
  ]);
}

function textOf({ reads }: ConfigBuild, file: string): string {
  return reads.read(file, Number.MAX_SAFE_INTEGER).bytes.toString("utf8");
}

function isThere(build: ConfigBuild, own: string, text: string): boolean {
  if (!build.reads.exists(own)) return false;
  if (textOf(build, own) === text) return true;
  const message = `Nothing was changed: cannot copy the config of OpenClaw, because ${own} exists. Move one of them`;
  throw new ColloquyError("CONFLICT", message, { field: "config" });
}

/** The same name, or that of the copy if it was a link or an absolute path. */
function includeName(build: ConfigBuild, at: Place, name: string, file: string): string {
  const from = dirname(ownPath(build, at.source.file as string));
  const own = ownPath(build, file);
  return absolute(name, build.home, from) === own ? name : `./${relative(from, own).replaceAll(sep, "/")}`;
}

/** Absolute paths stay: a file that is included twice comes here twice. */
function fromFolder(build: ConfigBuild, path: string): string {
  if (isAbsolute(path)) return path;
  return `${folderOf(build).replaceAll("${", "$${")}/${path.replace(/^(?:\.[\\/])+/, "")}`;
}

/** Change a string as it is written in the file, variables included. */
function withText(text: string, inner: Path, changed: (text: string) => string, file: string): string {
  const node = nodeAt(parseJson5(text, file), inner);
  if (node?.type !== "string") return text;
  const before = node.value as string;
  const now = changed(before);
  return now === before ? text : setAt(text, inner, now, file);
}

/** Settings that are paths relative to the folder of the config. */
function relativePaths(tree: Tree, field: Field | undefined): Place[] {
  if (field === undefined || field.type === "any") return [];
  if (tree.kind !== "value") {
    const children = tree.kind === "array" ? [...tree.items.entries()] : [...tree.members];
    return children.flatMap(([key, child]) => relativePaths(child, childField(field, String(key))));
  }
  if (field.type !== "path" || typeof tree.value !== "string" || tree.value === "") return [];
  const fixed = isAbsolute(tree.value) || /^~(?:$|[\\/])/.test(tree.value);
  return fixed ? [] : [tree.at];
}
