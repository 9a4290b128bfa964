/** Changes to the config files: all or nothing, one writer at a time, with backups. */
import { ColloquyError } from "../../errors.ts";
import type { FileIo } from "../../transcript/io.ts";
import type { Json } from "../../util/json.ts";
import { stateLayout } from "../folder.ts";
import { setAt } from "../json5/edit.ts";
import type { Path } from "../json5/nodes.ts";
import { unsetAt } from "../json5/remove.ts";
import { formatPath } from "./config-path.ts";
import type { ConfigOptions, Draft } from "./draft.ts";
import { configError, type Finding } from "./finding.ts";
import { loadDraft } from "./load.ts";
import { plain, treeAt } from "./located.ts";
import { systemReads, withContent } from "./reads.ts";
import { adoptedTexts } from "./take-over.ts";
import { targetOf } from "./target.ts";
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
}

/** Set a value in the file that holds it. A value that makes the config wrong is refused. */
export function setConfig(options: ChangeOptions, path: Path, value: Json): Promise<Change> {
  return change(
    options,
    path,
    (text, inner, file) => setAt(text, inner, value, file),
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
function conflict(path: Path, { tree }: Draft): ColloquyError {
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

type EditText = (text: string, inner: Path, file: string) => string;

async function change(
  options: ChangeOptions,
  path: Path,
  edit: EditText,
  check: (after: Draft) => void,
): Promise<Change> {
  return withConfigLock(options, async (io) => {
    const tolerant: ConfigOptions = { ...options, tolerant: true, cacheTtlMs: 0, overrides: [] };
    const before = await loadDraft(tolerant);
    const texts = before.adopted ? adoptedTexts(before) : new Map<string, string>();
    const target = targetOf(before, path);
    const changed = edited(before, texts, path, edit);
    if (!changed) return { path: formatPath(path), file: target.file, backup: null, changed };
    stamp(before, texts, options);
    const reads = withContent(options.reads ?? systemReads, texts);
    const after = await loadDraft({ ...tolerant, reads, repair: false });
    refuseNewErrors(before, after);
    check(after);
    // A copy of an adopted config counts only when its main file is there.
    const last = before.adopted ? stateLayout(options.stateDir).config : target.file;
    const backups = writeFiles(io, texts, last);
    return { path: formatPath(path), file: target.file, backup: backups.get(target.file) ?? null, changed };
  });
}

function edited(draft: Draft, texts: Map<string, string>, path: Path, edit: EditText): boolean {
  const { file, inner } = targetOf(draft, path);
  const text = texts.get(file) ?? currentText(draft, file);
  const after = edit(text, inner, file);
  if (after === text) return false;
  texts.set(file, after);
  return true;
}

function currentText({ reads }: Draft, file: string): string {
  return reads.exists(file) ? reads.read(file, Number.MAX_SAFE_INTEGER).bytes.toString("utf8") : "{}\n";
}

function stamp(draft: Draft, texts: Map<string, string>, { version, clock = Date.now }: ChangeOptions): void {
  const values = { lastTouchedVersion: version, lastTouchedAt: clock() };
  for (const [key, value] of Object.entries(values)) {
    edited(draft, texts, ["meta", key], (text, inner, file) => setAt(text, inner, value, file));
  }
}

/** What was wrong before may stay wrong, so that a config can be mended step by step. */
function refuseNewErrors(before: Draft, after: Draft): void {
  const keyOf = ({ code, path, message }: Finding): string => JSON.stringify([code, path, message]);
  const known = new Set(before.findings.map(keyOf));
  const errors = after.findings.filter((found) => found.severity === "error" && !known.has(keyOf(found)));
  if (errors.length === 0) return;
  const error = configError(errors.map((found) => ({ ...found, file: null, line: null, column: null })));
  throw new ColloquyError(error.code, `Nothing was changed: ${error.message}`, {
    field: error.field ?? "config",
    details: error.details ?? {},
  });
}
