/** Copies of a store that prove on restore that they are whole. */

import {
  chmodSync,
  closeSync,
  cpSync,
  createReadStream,
  existsSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import type { Engine, EngineOptions, Finding, VerifyReport } from "../../engine/index.ts";
import { ColloquyError, invalid, unavailable } from "../../errors.ts";
import { checkProperties } from "../../message/validate.ts";
import { sha256 } from "../../util/sha256.ts";
import { timestamp17 } from "../../util/time.ts";
import { LOCK_WAIT_MS } from "../../util/wait.ts";

export interface BackupReport {
  readonly path: string;
  readonly engine: string;
  readonly conversations: number;
  readonly entries: number;
  readonly bytes: number;
  /** False when the store was damaged, and so is its copy. */
  readonly ok: boolean;
  readonly findings: readonly Finding[];
}

export interface RestoreReport extends BackupReport {
  /** Whether checksums from the time of the backup were there and matched. */
  readonly checksums: boolean;
  /** Where the former store was moved to. */
  readonly former: string | null;
}

interface Manifest {
  readonly format: "colloquy-backup";
  readonly version: 1;
  readonly engine: string;
  readonly created_at: string;
  readonly conversations: number;
  readonly entries: number;
  /** What was wrong with the store when it was copied. */
  readonly findings: number;
  readonly files: readonly { readonly name: string; readonly bytes: number; readonly sha256: string }[];
}

const QUIET: EngineOptions = {
  readonly: true,
  durability: "full",
  lockWaitMs: LOCK_WAIT_MS,
  onProblem: () => {},
};

/** Copy a store under load, look at the copy, and write down its checksums beside it. */
export async function backupTo(engine: Engine, path: string, at: string): Promise<BackupReport> {
  if (typeof path !== "string" || path === "" || path.includes("\0"))
    throw invalid("A path is expected", "path");
  const target = resolve(path);
  if (engine.location !== null && `${target}${sep}`.startsWith(`${resolve(engine.location)}${sep}`)) {
    throw invalid(`${target} lies inside the store: a backup needs a place of its own`, "path");
  }
  if (existsSync(target) || existsSync(manifestOf(target))) throw exists(target);
  await engine.backup(target);
  const report = await inspect(engine.name, target);
  const files = await checksums(target);
  const manifest: Manifest = {
    format: "colloquy-backup",
    version: 1,
    engine: engine.name,
    created_at: at,
    conversations: report.conversations,
    entries: report.entries,
    findings: report.findings.length,
    files,
  };
  writeDurably(manifestOf(target), `${JSON.stringify(manifest, null, 2)}\n`);
  return summary(target, engine.name, report, files);
}

/** As `restoreBackup` says. */
export async function restoreFrom(
  backup: string,
  target: string,
  options: { readonly force?: boolean } = {},
): Promise<RestoreReport> {
  checkProperties(options, new Set(["force"]), "options");
  if (typeof backup !== "string" || backup === "") throw invalid("A path is expected", "backup");
  const { parseTarget } = await import("../open.ts");
  const { name, place } = parseTarget(target);
  const source = resolve(backup);
  const stat = statSync(source, { throwIfNoEntry: false });
  if (stat === undefined) throw new ColloquyError("NOT_FOUND", `There is no backup at ${source}`);
  const engine = stat.isDirectory() ? "jsonl" : "sqlite";
  if (name !== engine) throw invalid(`The backup is a ${engine} store and cannot become ${target}`, "target");
  const goal = resolve(place);
  if (`${goal}${sep}`.startsWith(`${source}${sep}`))
    throw invalid(`${goal} lies inside the backup`, "target");
  if ((statSync(`${source}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0) {
    throw invalid(
      `${source}-wal holds messages that are not in ${source}: it is an open store, no backup`,
      "backup",
    );
  }
  filesOf(source);
  if (existsSync(goal) && options.force !== true) throw exists(goal);
  const manifest = await checkSums(source);
  const copy = `${goal}.restoring-${timestamp17(Date.now())}`;
  try {
    mkdirSync(dirname(goal), { recursive: true, mode: 0o700 });
    cpSync(source, copy, { recursive: true, errorOnExist: true, force: false });
    keepPrivate(copy);
    syncTree(copy);
    const report = placedAt(await inspect(engine, copy), copy, goal);
    // What was damaged when it was copied is given back as it was; anything else happened to the copy.
    if (!report.ok && (manifest?.findings ?? 0) === 0) {
      throw unavailable(`The backup is damaged: ${report.findings[0]?.message}. Nothing was restored`);
    }
    const former = existsSync(goal) ? setAside(goal) : null;
    try {
      renameSync(copy, goal);
    } catch (error) {
      if (former !== null) renameSync(former, goal);
      throw error;
    }
    syncPath(dirname(goal));
    return {
      ...summary(goal, engine, report, await checksums(goal)),
      checksums: manifest !== undefined,
      former,
    };
  } catch (error) {
    rmSync(copy, { recursive: true, force: true });
    throw error;
  }
}

/** Compare a backup with the checksums of its time, and say what else was noted then. */
async function checkSums(source: string): Promise<Manifest | undefined> {
  const path = manifestOf(source);
  if (!existsSync(path)) return undefined;
  let manifest: Manifest;
  try {
    manifest = JSON.parse(readFileSync(path, "utf8"));
    if (manifest.format !== "colloquy-backup" || !Array.isArray(manifest.files))
      throw new Error("not a manifest");
  } catch (error) {
    throw unavailable(`${path} cannot be read: ${(error as Error).message}`, { cause: error });
  }
  const found = new Map((await checksums(source)).map((file) => [file.name, file]));
  for (const { name, sha256 } of manifest.files) {
    if (found.get(name)?.sha256 !== sha256) {
      const what = found.has(name) ? "was changed since the backup was made" : "is missing";
      throw unavailable(`The backup is damaged: ${join(source, name)} ${what}. Nothing was restored`);
    }
  }
  return manifest;
}

/** Findings name files; these have another name once the copy is in its place. */
function placedAt(report: VerifyReport, from: string, to: string): VerifyReport {
  const findings = report.findings.map((finding) => ({
    ...finding,
    source: finding.source?.replace(from, () => to) ?? null,
  }));
  return { ...report, findings };
}

async function inspect(engine: string, path: string): Promise<VerifyReport> {
  const { openEngine } = await import("../open.ts");
  const copy = await openEngine(`${engine}:${path}`, QUIET);
  try {
    return await copy.verify();
  } finally {
    await copy.close();
    // Opening for reading leaves these beside the file.
    for (const suffix of ["-wal", "-shm"]) rmSync(path + suffix, { force: true });
  }
}

function setAside(goal: string): string {
  const former = `${goal}.before-restore-${timestamp17(Date.now())}`;
  renameSync(goal, former);
  for (const suffix of ["-wal", "-shm"]) {
    if (existsSync(goal + suffix)) renameSync(goal + suffix, former + suffix);
  }
  return former;
}

async function checksums(path: string): Promise<Manifest["files"][number][]> {
  const files = [];
  for (const file of filesOf(path)) {
    const hash = sha256();
    let bytes = 0;
    for await (const chunk of createReadStream(file)) {
      hash.update(chunk);
      bytes += chunk.length;
    }
    files.push({ name: relative(path, file).split(sep).join("/") || ".", bytes, sha256: hash.digest("hex") });
  }
  return files;
}

function filesOf(path: string): string[] {
  const stat = lstatSync(path);
  // A link leads to files that are none of the backup's, and would be changed with it.
  if (stat.isSymbolicLink())
    throw invalid(`${path} is a link: a backup has files and folders only`, "backup");
  if (!stat.isDirectory()) return [path];
  return readdirSync(path, { withFileTypes: true })
    .flatMap((item) => filesOf(join(path, item.name)))
    .sort();
}

/** A backup may have come from a place where everybody can read it. */
function keepPrivate(path: string): void {
  const isFolder = statSync(path).isDirectory();
  chmodSync(path, isFolder ? 0o700 : 0o600);
  if (isFolder) for (const name of readdirSync(path)) keepPrivate(join(path, name));
}

function syncTree(path: string): void {
  for (const file of filesOf(path)) syncPath(file);
  if (statSync(path).isDirectory()) syncPath(path);
}

function syncPath(path: string): void {
  const file = openSync(path, "r");
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

function writeDurably(path: string, text: string): void {
  writeFileSync(path, text, { mode: 0o600, flag: "wx", flush: true });
  syncPath(dirname(path));
}

function manifestOf(path: string): string {
  return join(dirname(path), `${basename(path)}.manifest.json`);
}

function exists(path: string): ColloquyError {
  return new ColloquyError("CONFLICT", `${path} exists already: it is not overwritten`, { field: "path" });
}

function summary(
  path: string,
  engine: string,
  { conversations, entries, ok, findings }: VerifyReport,
  files: readonly { readonly bytes: number }[],
): BackupReport {
  const size = files.reduce((sum, { bytes }) => sum + bytes, 0);
  return { path, engine, conversations, entries, bytes: size, ok, findings };
}
