/** Changes of the config files: all or nothing, one writer at a time, with backups. */
import type { FileIo } from "../../../disk/file-io.ts";
import { ColloquyError } from "../../../errors.ts";
import type { Json } from "../../../util/json.ts";
import { stateLayout } from "../../folder.ts";
import { setAt } from "../../json5/edit.ts";
import { type Node, nodeAt, type Path } from "../../json5/nodes.ts";
import { parseJson5 } from "../../json5/parse.ts";
import { unsetAt } from "../../json5/remove.ts";
import { type ConfigBuild, type ConfigOptions, checkOptions } from "../config-build.ts";
import { asPath, formatPath } from "../config-path.ts";
import { configError, type Finding } from "../finding.ts";
import { loadBuild } from "../load.ts";
import { plain, treeAt } from "../located.ts";
import { copyAdopted } from "./copy-adopted.ts";
import { systemReads, withContent } from "./reads.ts";
import { sideEffectOf } from "./side-effects.ts";
import { ownPath, targetOf } from "./target.ts";
import { withConfigLock, writeFiles } from "./write.ts";

export interface ChangeOptions extends ConfigOptions {
  /** The version to note in `meta.lastTouchedVersion`. */
  readonly version?: string;
  readonly io?: FileIo;
}

export interface ConfigChange {
  readonly path: string;
  /** The file that holds the setting. */
  readonly file: string;
  /** The copy of the former file; `null` when the file is new. */
  readonly backup: string | null;
  /** False when there was nothing to change. */
  readonly changed: boolean;
  /** Findings that the change caused, such as an unknown key, and permissions that were repaired. */
  readonly notices: readonly Finding[];
}

/** Set a value in the file that holds it. Refuses a value that makes the config invalid. */
export async function setConfig(
  options: ChangeOptions,
  where: string | Path,
  value: Json,
): Promise<ConfigChange> {
  const path = asPath(where);
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
      // A value with a variable reads differently from the written one.
      if (same || JSON.stringify(value).includes(`\${`)) return;
      throw conflict(path, after);
    },
  );
}

/** Remove a value. */
export async function unsetConfig(options: ChangeOptions, where: string | Path): Promise<ConfigChange> {
  const path = asPath(where);
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

/** Another file overrides the change. */
function conflict(path: Path, { tree }: ConfigBuild): ColloquyError {
  const at = treeAt(tree, path)?.at;
  const where =
    at === undefined ? "a patch in config.d removes it" : `${at.source.file}:${at.line} overrides it`;
  return new ColloquyError(
    "CONFLICT",
    `Nothing was changed: the new value of ${formatPath(path)} would have no effect, because ${where}. Edit the files by hand`,
    {
      field: formatPath(path),
    },
  );
}

/** Replacing a value that contains a `$include` would silently drop the included file. */
function refuseLoss(text: string, inner: Path, path: Path, file: string): void {
  const node = nodeAt(parseJson5(text, file), inner);
  if (node === undefined || !hasInclude(node)) return;
  const message = `Nothing was changed: ${formatPath(path)} contains a $include in ${file}, which would be lost. Set its keys one by one, or edit the file by hand`;
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
): Promise<ConfigChange> {
  checkOptions(options);
  return withConfigLock(options, async (io) => {
    const tolerant: ConfigOptions = { ...options, tolerant: true, cacheTtlMs: 0, overrides: [] };
    const before = await loadBuild(tolerant);
    const texts = before.adopted ? copyAdopted(before) : new Map<string, string>();
    const { file, inner } = targetOf(before, path);
    const text = texts.get(file) ?? currentText(before, file);
    const edited = edit(text, inner, file);
    const about = { path: formatPath(path), file };
    if (edited === text) {
      return { ...about, changed: false, backup: null, notices: repairs(before.findings) };
    }
    texts.set(file, edited);
    stamp(before, texts, options);
    const reads = withContent(options.reads ?? systemReads, texts);
    const after = await loadBuild({ ...tolerant, reads, repair: false });
    refuseNewErrors(before, after);
    check(after);
    refuseOtherChanges(before, after, path);
    // The copy of an adopted config takes effect once its main file exists.
    const last = before.adopted ? stateLayout(options.stateDir).config : file;
    const backups = writeFiles(io, texts, last);
    const notices = [...repairs(before.findings), ...newFindings(before, after, "warning")];
    return { ...about, changed: true, backup: backups.get(file) ?? null, notices };
  });
}

function currentText({ reads }: ConfigBuild, file: string): string {
  return reads.exists(file) ? reads.read(file, Number.MAX_SAFE_INTEGER).bytes.toString("utf8") : "{}\n";
}

function stamp(
  build: ConfigBuild,
  texts: Map<string, string>,
  { version, clock = Date.now }: ChangeOptions,
): void {
  const values = {
    ...(version === undefined ? {} : { lastTouchedVersion: version }),
    lastTouchedAt: clock(),
  };
  const file = ownPath(build, build.file);
  // Always into the main file: a patch may belong to a machine or a package.
  for (const [key, value] of Object.entries(values)) {
    texts.set(file, setAt(texts.get(file) ?? currentText(build, file), ["meta", key], value, file));
  }
}

/** Permissions that were repaired while loading. */
function repairs(findings: readonly Finding[]): Finding[] {
  return findings.filter(({ code }) => code === "permissions");
}

/** A file that is included in several places changes all of them. */
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

/** Errors that were there before may stay, so that a config can be repaired step by step. */
function refuseNewErrors(before: ConfigBuild, after: ConfigBuild): void {
  const errors = newFindings(before, after, "error");
  if (errors.length === 0) return;
  const error = configError(errors.map((found) => ({ ...found, file: null, line: null, column: null })));
  throw new ColloquyError(error.code, `Nothing was changed: ${error.message}`, {
    field: error.field ?? "config",
    details: error.details ?? {},
  });
}
