import { chmodSync, cpSync, existsSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname, join, resolve, sep } from "node:path";
import { systemIo } from "../../disk/file-io.ts";
import { refuseOpenStore } from "../../disk/open-stores.ts";
import { withFile } from "../../disk/with-file.ts";
import type { VerifyReport } from "../../engine/index.ts";
import { asColloquyError, ColloquyError, invalid, unavailable } from "../../errors.ts";
import { checkProperties } from "../../message/validate.ts";
import { timestamp17 } from "../../util/time.ts";
import { parseTarget } from "../open-engine.ts";
import { type BackupReport, exists, inspect, summary } from "./backup.ts";
import { checkManifest, checksums, filesOf } from "./manifest.ts";

export interface RestoreReport extends BackupReport {
  /** Whether there were checksums to compare with. They matched. */
  readonly checksums: boolean;
  /** Where the previous store was moved to. */
  readonly former: string | null;
}

/**
 * Restore a backup to a store that does not exist yet. The backup is verified first.
 *
 * `target` is `sqlite:FILE` or `jsonl:FOLDER`. An existing store is a `CONFLICT`,
 * unless `force` is set: then it is renamed, never removed.
 */
export async function restoreBackup(
  backup: string,
  target: string,
  options: { readonly force?: boolean } = {},
): Promise<RestoreReport> {
  try {
    return await restoreFrom(backup, target, options);
  } catch (error) {
    throw asColloquyError(error, "Cannot restore");
  }
}

async function restoreFrom(
  backup: string,
  target: string,
  options: { readonly force?: boolean },
): Promise<RestoreReport> {
  checkProperties(options, new Set(["force"]), "options");
  if (typeof backup !== "string" || backup === "") throw invalid("The path must be a string", "backup");
  const { name, place } = parseTarget(target);
  const source = resolve(backup);
  const stat = statSync(source, { throwIfNoEntry: false });
  if (stat === undefined) throw new ColloquyError("NOT_FOUND", `There is no backup at ${source}`);
  const engine = stat.isDirectory() ? "jsonl" : "sqlite";
  if (name !== engine)
    throw invalid(`The backup is a ${engine} store and cannot be restored as ${target}`, "target");
  const goal = resolve(place);
  if (`${goal}${sep}`.startsWith(`${source}${sep}`)) throw invalid(`${goal} is inside the backup`, "target");
  if ((statSync(`${source}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0) {
    throw invalid(
      `${source}-wal holds messages that are not in ${source}: it is an open store, not a backup`,
      "backup",
    );
  }
  refuseOpenStore(source, "backup", "Close it first");
  refuseOpenStore(goal, "target", "Close it first");
  filesOf(source);
  if (existsSync(goal) && options.force !== true) throw exists(goal);
  const manifest = await checkManifest(source);
  const copy = `${goal}.restoring-${timestamp17(Date.now())}`;
  try {
    systemIo.makeFolder(dirname(goal));
    cpSync(source, copy, { recursive: true, errorOnExist: true, force: false });
    settle(copy);
    const report = placedAt(await inspect(engine, copy), copy, goal);
    // A store that was damaged when it was copied is restored as it was; any other damage is of the copy.
    if (!report.ok && (manifest?.findings ?? 0) === 0) {
      throw unavailable(`The backup is damaged: ${report.findings[0]?.message}. Nothing was restored`);
    }
    const former = existsSync(goal) ? `${goal}.before-restore-${timestamp17(Date.now())}` : null;
    if (former !== null) moveStore(goal, former);
    try {
      renameSync(copy, goal);
    } catch (error) {
      if (former !== null) moveStore(former, goal);
      throw error;
    }
    systemIo.syncFolder(dirname(goal));
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

/** The report with the names that the files have after the copy was renamed. */
function placedAt(report: VerifyReport, from: string, to: string): VerifyReport {
  const findings = report.findings.map((finding) => ({
    ...finding,
    source: finding.source?.replace(from, () => to) ?? null,
  }));
  return { ...report, findings };
}

function moveStore(from: string, to: string): void {
  renameSync(from, to);
  for (const suffix of ["-wal", "-shm"]) {
    if (existsSync(from + suffix)) renameSync(from + suffix, to + suffix);
  }
}

/** Make a copy durable, folders included, and private, even if others could read the backup. */
function settle(path: string): void {
  if (!statSync(path).isDirectory()) {
    chmodSync(path, 0o600);
    withFile(systemIo, path, "write", (file) => systemIo.sync(file));
    return;
  }
  chmodSync(path, 0o700);
  for (const name of readdirSync(path)) settle(join(path, name));
  systemIo.syncFolder(path);
}
