import { closestWord } from "../../../util/closest-word.ts";
import { formatPath } from "../config-path.ts";
import { FINDINGS_MAX, type Finding, finding } from "../finding.ts";
import type { Tree, TreeObject, TreeValue } from "../located.ts";
import type { EitherField, Field, ObjectField, ScalarField } from "./field.ts";
import { kindOf } from "./field-at.ts";

/** Check a value. Messages name the path and what is expected, never the value. */
export function check(tree: Tree, field: Field): Finding[] {
  const checker = new Checker();
  checker.visit(tree, field);
  if (checker.unknown <= FINDINGS_MAX) return checker.found;
  const message = `There are ${checker.unknown} unknown keys: this does not look like a config of Colloquy`;
  const others = checker.found.filter(({ code }) => code !== "unknown-key");
  return [finding("error", "unknown-keys", message, [], tree.at), ...others];
}

class Checker {
  readonly found: Finding[] = [];
  unknown = 0;
  #wrongs = 0;
  /** The current path, formatted only where something is found. */
  readonly #path: string[] = [];

  visit(tree: Tree, field: Field): void {
    if (field.type === "any") return;
    if (field.type === "either") this.#either(tree, field);
    else if (field.type === "array" && tree.kind === "array") {
      for (const [index, item] of tree.items.entries()) this.#below(String(index), item, field.items);
    } else if (field.type === "object" && tree.kind === "object") this.#members(tree, field);
    else if (field.type === "array" || field.type === "object" || tree.kind !== "value")
      this.#wrong(tree, field);
    else this.#scalar(tree, field);
  }

  #below(key: string, tree: Tree, field: Field): void {
    this.#path.push(key);
    this.visit(tree, field);
    this.#path.pop();
  }

  #members(tree: TreeObject, field: ObjectField): void {
    for (const [key, value] of tree.members) {
      if (Object.hasOwn(field.members, key)) this.#below(key, value, field.members[key] as Field);
      else if (field.others === undefined || isSlip(key, field)) this.#unknown(key, value, field);
      else this.#below(key, value, field.others);
    }
  }

  #scalar(tree: TreeValue, field: ScalarField): void {
    const { value } = tree;
    const { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY } = field;
    const outside = typeof value === "number" && (value < min || value > max);
    if (outside || !isOfType(tree, field) || !hasForm(tree, field)) this.#wrong(tree, field);
    else if (field.enum !== undefined && typeof value === "string" && !field.enum.includes(value)) {
      const meant = closestWord(value, field.enum);
      this.#wrong(tree, field, meant === undefined ? "" : `: did you mean "${meant}"?`);
    }
  }

  /** Report against the kind of the same shape, so that the message names the wrong property. */
  #either(tree: Tree, field: EitherField): void {
    const tries = field.kinds.map((kind) => {
      const checker = new Checker();
      checker.#path.push(...this.#path);
      checker.visit(tree, kind);
      return { kind, found: checker.found };
    });
    const fitting = tries.find(({ found }) => found.every(({ severity }) => severity !== "error"));
    const alike = fitting ?? tries.find(({ kind }) => kind.type === tree.kind);
    if (alike === undefined) this.#wrong(tree, field);
    else for (const found of alike.found) if (++this.#wrongs <= FINDINGS_MAX) this.found.push(found);
  }

  #wrong(tree: Tree, field: Field, hint = ""): void {
    if (++this.#wrongs > FINDINGS_MAX) return;
    const message = `${formatPath(this.#path) || "The config"} must be ${kindOf(field)}${hint}`;
    this.found.push(finding("error", "wrong-value", message, this.#path, tree.at));
  }

  #unknown(key: string, tree: Tree, field: ObjectField): void {
    if (++this.unknown > FINDINGS_MAX) return;
    const meant = closestWord(key, Object.keys(field.members));
    const hint = meant === undefined ? "" : `: did you mean "${formatPath([...this.#path, meant])}"?`;
    const path = [...this.#path, key];
    this.found.push(
      finding("warning", "unknown-key", `Unknown key "${formatPath(path)}"${hint}`, path, tree.at),
    );
  }
}

function isOfType({ value }: TreeValue, { type }: ScalarField): boolean {
  if (type === "path") return typeof value === "string" && !value.includes("\0");
  if (type === "integer") return Number.isSafeInteger(value);
  return typeof value === type;
}

function hasForm({ value }: TreeValue, { form }: ScalarField): boolean {
  return form === undefined || (typeof value === "string" && new RegExp(form.pattern).test(value));
}

/** One edit away from a known key, where any other key is allowed. */
function isSlip(key: string, { members, others }: ObjectField): boolean {
  return others?.type === "any" && closestWord(key, Object.keys(members), { stepsMax: 1 }) !== undefined;
}
