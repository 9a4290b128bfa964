/** `PATH=VALUE` of the command line. */
import { invalid } from "../../errors.ts";
import { closestWord } from "../../util/closest-word.ts";
import type { Path } from "../json5/nodes.ts";
import type { Override } from "./config-build.ts";
import { formatPath, parsePath } from "./config-path.ts";
import { type Tree, treeOf } from "./located.ts";
import { check } from "./schema/check.ts";
import type { Field } from "./schema/field.ts";
import { ROOT } from "./schema/index.ts";
import { valueOfText } from "./value-text.ts";

/** Parse it. `VALIDATION_ERROR` for a setting that does not exist: it would have no effect. */
export function overrideOf(typed: string): Override {
  // An equals sign in a quoted key belongs to the path.
  const [, left, right] = /^((?:[^="]|"(?:\\.|[^"\\])*")+)=(.*)$/s.exec(typed) ?? [];
  if (left === undefined || right === undefined) throw invalid("--set takes PATH=VALUE", "set");
  const path = parsePath(left.trim());
  const override = { path, value: valueOfText(right, path) };
  checkKnown(override);
  return override;
}

/** The override as a tree from the root. */
export function overrideTree({ path, value }: Override): Tree {
  let tree: Tree = treeOf(value, { kind: "override", file: null });
  for (const key of path.toReversed()) {
    tree = { kind: "object", members: new Map([[key, tree]]), at: tree.at };
  }
  return tree;
}

function checkKnown(override: Override): void {
  const unknown = check(overrideTree(override), ROOT).find(({ code }) => code === "unknown-key");
  if (unknown === undefined) return;
  const near = elsewhere(override.path.at(-1) ?? "");
  const hint =
    near === undefined ? ". To see every setting: colloquy config schema" : `: did you mean "${near}"?`;
  const isNamed = unknown.message.endsWith("?");
  throw invalid(isNamed ? unknown.message : `${unknown.message}${hint}`, "set");
}

/** A setting of this name, or nearly so, in another place: its section is easily left out. */
function elsewhere(name: string): string | undefined {
  const paths = knownPaths(ROOT, []);
  const near = closestWord(
    name,
    paths.map((path) => path.at(-1) ?? ""),
  );
  const found = paths.find((path) => path.at(-1) === near);
  return found === undefined ? undefined : formatPath(found);
}

/** The settings that the schema names. */
function knownPaths(field: Field, path: Path): Path[] {
  if (field.type !== "object") return [path];
  return Object.entries(field.members).flatMap(([key, member]) => knownPaths(member, [...path, key]));
}
