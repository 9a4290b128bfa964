/** Checks of the machine: Node, SQLite, disk space. */
import { existsSync, statfsSync } from "node:fs";
import { dirname } from "node:path";
import { bytesText } from "../util/bytes-text.ts";
import { NODE_MAJOR_MIN } from "../util/node-version.ts";
import type { Checkup, DoctorFinding } from "./finding.ts";

/** This version fixed a rare loss of data between processes in the write-ahead log. */
const SQLITE_SAFE = "3.51.3";
const FREE_PART_MIN = 0.05;
const FREE_BYTES_MIN = 500_000_000;

export function checkNode(version: string = process.versions.node): Checkup {
  const old: DoctorFinding = {
    code: "old-node",
    severity: "error",
    what: `Node ${version} is older than Node ${NODE_MAJOR_MIN}`,
    fix: { text: `Install Node ${NODE_MAJOR_MIN} or newer` },
  };
  return { checked: `Node ${version}`, findings: isOlder(version, `${NODE_MAJOR_MIN}.0.0`) ? [old] : [] };
}

export function checkSqlite(version: string = process.versions.sqlite ?? "0.0.0"): Checkup {
  const old: DoctorFinding = {
    code: "old-sqlite",
    severity: "warning",
    what: `SQLite ${version} is older than ${SQLITE_SAFE}: only one process at a time can open a store`,
    fix: { text: "Update Node, which includes SQLite" },
  };
  return { checked: `SQLite ${version}`, findings: isOlder(version, SQLITE_SAFE) ? [old] : [] };
}

export function isOlder(version: string, than: string): boolean {
  const have = version.split(".").map(Number);
  const want = than.split(".").map(Number);
  const at = want.findIndex((part, index) => (have[index] ?? 0) !== part);
  return at !== -1 && (have[at] ?? 0) < (want[at] ?? 0);
}

export function checkDisk(path: string): Checkup {
  let place = path;
  while (!existsSync(place) && dirname(place) !== place) place = dirname(place);
  const { bavail, blocks, bsize } = statfsSync(place);
  return spaceReport(place, bavail * bsize, blocks * bsize);
}

export function spaceReport(place: string, free: number, total: number): Checkup {
  const checked = `Disk space: ${bytesText(free)} free`;
  // Some file systems do not report their size.
  const enough = total === 0 || (free >= FREE_BYTES_MIN && free >= total * FREE_PART_MIN);
  if (enough) return { checked, findings: [] };
  const finding: DoctorFinding = {
    code: "little-space",
    severity: "warning",
    what: `The disk of ${place} is nearly full: ${bytesText(free)} of ${bytesText(total)} free`,
    fix: { text: "Free some space before writes fail" },
    details: { path: place, free, total },
  };
  return { checked, findings: [finding] };
}
