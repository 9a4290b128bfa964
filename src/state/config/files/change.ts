/** Changes to the config files: all or nothing, one writer at a time, with backups. */

import type { FileIo } from "../../../disk/file-io.ts";
import { ColloquyError } from "../../../errors.ts";
import type { Json } from "../../../util/json.ts";
import { stateLayout } from "../../folder.ts";
import { setAt } from "../../json5/edit.ts";
import { type Node, nodeAt, type Path } from "../../json5/nodes.ts";
import { parseJson5 } from "../../json5/parse.ts";
import { unsetAt } from "../../json5/remove.ts";
import type { ConfigBuild, ConfigOptions } from "../config-build.ts";
import { formatPath } from "../config-path.ts";
import { configError, type Finding } from "../finding.ts";
import { loadBuild } from "../load.ts";
import { plain, treeAt } from "../located.ts";
import { copyAdopted } from "./copy-adopted.ts";
import { systemReads, withContent } from "./reads.ts";
import { sideEffectOf } from "./side-effects.ts";
import { ownPath, targetOf } from "./target.ts";
import { withConfigLock, writeFiles } from "./write.ts";

export interface ChangeOptions extends ConfigOptions {
  /** Of Colloquy, for `meta.lastTouchedVersion`. */
  readonly version: string;
  readonly io?: FileIo;
}

export interface Change {
  readonly path: string;
  /** The file that holds the setting. */
  readonly file: string;
  /** What the file was before; `null` when it is new. */
  readonly backup: string | null;
  /** False when there was nothing to take away. */
  readonly changed: boolean;
  /** What is worth knowing about the config since then, such as a key that nothing knows. */
  readonly notices: readonly Finding[];
}

/** Set a value in the file that holds it. A value that makes the config wrong is refused. */
export function setConfig(options: ChangeOptions, path: Path, value: Json): Promise<Change> {
  return change(
    options,
    path,
    (text, inner, file) => {
      refuseLoss(text, inner, path, file);
      return setAt(text, inner, value, file);
    },
    (after) => {
      const now = treeAt(after.tree, path);
      const same = now !== undefined && JSON.stringify(plain(now)) === JSON.stringify(value);
      // What a variable stands for is not what was written.
      if (same || JSON.stringify(value).includes(`\${`)) return;
      throw conflict(path, after);
    },
  );
}

/** Take a value away. */
export function unsetConfig(options: ChangeOptions, path: Path): Promise<Change> {
  return change(
    options,
    path,
    (text, inner, file) => unsetAt(text, inner, file),
    (after) => {
      if (treeAt(after.tree, path) !== undefined && path.at(-1)?.match(/^\d+$/) === null)
        throw conflict(path, after);
    },
  );
}

/** Another file says something about it, too. */
function conflict(path: Path, { tree }: ConfigBuild): ColloquyError {
  const at = treeAt(tree, path)?.at;
  const where =
    at === undefined ? "a patch in config.d removes it" : `${at.source.file}:${at.line} has a say in it, too`;
  return new ColloquyError(
    "CONFLICT",
    `Nothing was changed: ${formatPath(path)} would not become that, ${where}. Edit the files by hand`,
    {
      field: formatPath(path),
    },
  );
}

/** An include that stands in what is replaced would be gone, and nobody said so. */
function refuseLoss(text: string, inner: Path, path: Path, file: string): void {
  const node = nodeAt(parseJson5(text, file), inner);
  if (node === undefined || !hasInclude(node)) return;
  const message = `Nothing was changed: ${formatPath(path)} holds a $include in ${file}, which would be lost. Set what is in it key by key, or edit the file by hand`;
  throw new ColloquyError("CONFLICT", message, { field: formatPath(path) });
}

function hasInclude(node: Node): boolean {
  if (node.type === "array") return node.items.some(hasInclude);
  if (node.type !== "object") return false;
  return node.members.some(({ key, value }) => key === "$include" || hasInclude(value));
}

type EditText = (text: string, inner: Path, file: string) => string;

async function change(
  options: ChangeOptions,
  path: Path,
  edit: EditText,
  check: (after: ConfigBuild) => void,
): Promise<Change> {
  return withConfigLock(options, async (io) => {
    const tolerant: ConfigOptions = { ...options, tolerant: true, cacheTtlMs: 0, overrides: [] };
    const before = await loadBuild(tolerant);
    const texts = before.adopted ? copyAdopted(before) : new Map<string, string>();
    const target = targetOf(before, path);
    const changed = edited(before, texts, path, edit);
    const about = { path: formatPath(path), file: target.file, changed };
    if (!changed) return { ...about, backup: null, notices: told(before.findings) };
    stamp(before, texts, options);
    const reads = withContent(options.reads ?? systemReads, texts);
    const after = await loadBuild({ ...tolerant, reads, repair: false });
    refuseNewErrors(before, after);
    check(after);
    refuseOtherChanges(before, after, path);
    // A copy of an adopted config counts only when its main file is there.
    const last = before.adopted ? stateLayout(options.stateDir).config : target.file;
    const backups = writeFiles(io, texts, last);
    const notices = [...told(before.findings), ...newFindings(before, after, "warning")];
    return { ...about, backup: backups.get(target.file) ?? null, notices };
  });
}

function edited(build: ConfigBuild, texts: Map<string, string>, path: Path, edit: EditText): boolean {
  const { file, inner } = targetOf(build, path);
  const text = texts.get(file) ?? currentText(build, file);
  const after = edit(text, inner, file);
  if (after === text) return false;
  texts.set(file, after);
  return true;
}

function currentText({ reads }: ConfigBuild, file: string): string {
  return reads.exists(file) ? reads.read(file, Number.MAX_SAFE_INTEGER).bytes.toString("utf8") : "{}\n";
}

function stamp(
  build: ConfigBuild,
  texts: Map<string, string>,
  { version, clock = Date.now }: ChangeOptions,
): void {
  const values = { lastTouchedVersion: version, lastTouchedAt: clock() };
  const file = ownPath(build, build.file);
  // Into the main file, whatever else speaks of it: a patch of a machine or a package is not ours to touch.
  for (const [key, value] of Object.entries(values)) {
    texts.set(file, setAt(texts.get(file) ?? currentText(build, file), ["meta", key], value, file));
  }
}

/** Files that were found open to others, and closed. */
function told(findings: readonly Finding[]): Finding[] {
  return findings.filter(({ code }) => code === "permissions");
}

/** A file that is included in several places says something in all of them. */
function refuseOtherChanges(before: ConfigBuild, after: ConfigBuild, path: Path): void {
  const other = sideEffectOf(before.final, after.final, path);
  if (other === undefined) return;
  const message = `Nothing was changed: ${formatPath(other)} would change together with ${formatPath(path)}, because both come from the same file. Edit the files by hand`;
  throw new ColloquyError("CONFLICT", message, { field: formatPath(path) });
}

function newFindings(before: ConfigBuild, after: ConfigBuild, severity: Finding["severity"]): Finding[] {
  const keyOf = ({ code, path, message }: Finding): string => JSON.stringify([code, path, message]);
  const known = new Set(before.findings.map(keyOf));
  return after.findings.filter((found) => found.severity === severity && !known.has(keyOf(found)));
}

/** What was wrong before may stay wrong, so that a config can be mended step by step. */
function refuseNewErrors(before: ConfigBuild, after: ConfigBuild): void {
  const errors = newFindings(before, after, "error");
  if (errors.length === 0) return;
  const error = configError(errors.map((found) => ({ ...found, file: null, line: null, column: null })));
  throw new ColloquyError(error.code, `Nothing was changed: ${error.message}`, {
    field: error.field ?? "config",
    details: error.details ?? {},
  });
}
