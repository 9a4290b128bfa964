/** The import that keeps watching, if there is one. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { IMPORT_LOG, type ImportWatch, importWatchLock, readImportWatch } from "../state/import-watch.ts";
import type { Checkup, DoctorFinding } from "./finding.ts";

export function checkImportWatch(stateDir: string): Checkup[] {
  const watch = readImportWatch(stateDir);
  if (watch === undefined) return [];
  const { paths, isService, startedAt, addedAt, error } = watch;
  const isRunning = isHeld(stateDir);
  const last = addedAt === null ? "nothing added yet" : `last addition ${addedAt}`;
  const checked = `Watching import of ${paths.join(", ")}: ${isRunning ? `running, ${last}` : startedAt === null ? "never started" : "not running"}`;
  const missing = paths.filter((path) => !existsSync(path));
  const findings = [
    ...(isRunning || (!isService && error === null) ? [] : [stopped(stateDir, watch)]),
    ...missing.map(gone),
  ];
  return [{ checked, findings }];
}

function isHeld(stateDir: string): boolean {
  const lock = importWatchLock(stateDir);
  try {
    return !lock.tryAcquire();
  } finally {
    lock.close();
  }
}

function stopped(stateDir: string, { isService, enable, startedAt, error }: ImportWatch): DoctorFinding {
  const isNew = startedAt === null;
  const reason = error === null ? "" : `: ${error}`;
  const firstStart = enable === null ? "Start it" : `Enable it: ${enable}`;
  const command = isService && enable !== null ? `: ${enable}` : "";
  const log = `${join(stateDir, IMPORT_LOG)} says what happened`;
  return {
    code: "import-stopped",
    severity: "warning",
    what: `The import that watches other tools ${isNew ? "was never started" : `is not running${reason}`}`,
    fix: { text: isNew ? firstStart : `${log}. Start it again${command}` },
    details: { error },
  };
}

function gone(path: string): DoctorFinding {
  return {
    code: "import-place-gone",
    severity: "note",
    what: `${path}, which an import watches, does not exist`,
    fix: { text: "Nothing to do if its tool is no longer used: what was imported stays" },
    details: { path },
  };
}
