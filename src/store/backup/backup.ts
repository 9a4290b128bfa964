/** A copy of a store, with checksums that prove on restore that nothing is missing or changed. */

import { existsSync, rmSync } from "node:fs";
import { resolve, sep } from "node:path";
import { refuseOpenStore } from "../../disk/open-stores.ts";
import { countFindings } from "../../engine/findings.ts";
import type { Engine, EngineOptions, Finding, VerifyReport } from "../../engine/index.ts";
import { ColloquyError, invalid } from "../../errors.ts";
import { LOCK_WAIT_MS } from "../../util/wait.ts";
import { openEngine } from "../open-engine.ts";
import { checksums, type Manifest, manifestOf, writeManifest } from "./manifest.ts";

export interface BackupReport {
  readonly path: string;
  readonly engine: string;
  readonly conversations: number;
  readonly entries: number;
  readonly bytes: number;
  /** False if the store was damaged, and therefore its copy too. */
  readonly ok: boolean;
  readonly findings: readonly Finding[];
}

const QUIET: EngineOptions = {
  readonly: true,
  durability: "full",
  lockWaitMs: LOCK_WAIT_MS,
  onProblem: () => {},
};

/** Copy a store that is in use, verify the copy, and write its checksums beside it. */
export async function backupTo(engine: Engine, path: string, at: string): Promise<BackupReport> {
  if (typeof path !== "string" || path === "" || path.includes("\0"))
    throw invalid("The path must be a string", "path");
  const target = resolve(path);
  if (engine.location !== null && `${target}${sep}`.startsWith(`${resolve(engine.location)}${sep}`)) {
    throw invalid(`${target} is inside the store: choose a path outside of it`, "path");
  }
  refuseOpenStore(target, "path", "Choose another path");
  if (existsSync(target) || existsSync(manifestOf(target))) throw exists(target);
  const lost = await engine.backup(target);
  const copied = await inspect(engine.name, target);
  const findings = [...lost, ...copied.findings];
  const report = { ...copied, ok: findings.length === 0, findings };
  const files = await checksums(target);
  const manifest: Manifest = {
    format: "colloquy-backup",
    version: 1,
    engine: engine.name,
    created_at: at,
    conversations: report.conversations,
    entries: report.entries,
    findings: countFindings(report.findings),
    files,
  };
  writeManifest(target, manifest);
  return summary(target, engine.name, report, files);
}

/** Open a copy for reading and verify it. */
export async function inspect(engine: string, path: string): Promise<VerifyReport> {
  const copy = await openEngine(`${engine}:${path}`, QUIET);
  try {
    return await copy.verify();
  } finally {
    await copy.close();
    // Even a read-only connection leaves these beside the file.
    for (const suffix of ["-wal", "-shm"]) rmSync(path + suffix, { force: true });
  }
}

export function exists(path: string): ColloquyError {
  return new ColloquyError("CONFLICT", `${path} already exists and was not overwritten`, { field: "path" });
}

export function summary(
  path: string,
  engine: string,
  { conversations, entries, ok, findings }: VerifyReport,
  files: readonly { readonly bytes: number }[],
): BackupReport {
  const size = files.reduce((sum, { bytes }) => sum + bytes, 0);
  return { path, engine, conversations, entries, bytes: size, ok, findings };
}
