/** What `colloquy doctor` looks at. Each check says that all is well, or what is wrong and what to do. */
import { existsSync, statfsSync } from "node:fs";
import { dirname } from "node:path";
import { asColloquyError } from "../errors.ts";
import { bytesText } from "../util/bytes-text.ts";

export interface DoctorFinding {
  /** Short and stable. */
  readonly code: string;
  /** A note is worth knowing, and no problem. */
  readonly severity: "error" | "warning" | "note";
  readonly what: string;
  readonly fix: string;
}

/** What was looked at, and what is wrong with it. */
export interface Checkup {
  readonly checked: string;
  readonly findings: readonly DoctorFinding[];
}

/** Something that was put right. */
export interface Fixed {
  /** That of the finding. */
  readonly code: string;
  readonly what: string;
}

/** Where to write down what was put right; `undefined` when nothing may be touched. */
export type Fixing = Fixed[] | undefined;

const NODE_MAJOR_MIN = 24;
/** From here on a rare loss between processes is mended in SQLite's write-ahead log. */
const SQLITE_SAFE = "3.51.3";
const FREE_PART_MIN = 0.05;
const FREE_BYTES_MIN = 500_000_000;

/** A check that cannot be made is a finding, so that the others are shown too. */
export async function attempt(
  checked: string,
  check: () => Promise<Checkup | Checkup[]> | Checkup,
): Promise<Checkup[]> {
  try {
    return [await check()].flat();
  } catch (error) {
    const { message } = asColloquyError(error, `${checked} cannot be checked`);
    const fix = "Put right what it says; if that is no help, report it as a bug";
    return [{ checked, findings: [{ code: "check-failed", severity: "error", what: message, fix }] }];
  }
}

export function checkNode(version: string = process.versions.node): Checkup {
  const old: DoctorFinding = {
    code: "old-node",
    severity: "error",
    what: `Node ${version} is older than Node ${NODE_MAJOR_MIN}`,
    fix: `Install Node ${NODE_MAJOR_MIN} or newer`,
  };
  return { checked: `Node ${version}`, findings: isOlder(version, `${NODE_MAJOR_MIN}.0.0`) ? [old] : [] };
}

export function checkSqlite(version: string = process.versions.sqlite ?? "0.0.0"): Checkup {
  const old: DoctorFinding = {
    code: "old-sqlite",
    severity: "warning",
    what: `SQLite ${version} is older than ${SQLITE_SAFE}; a store admits one process at a time with it`,
    fix: "Update Node, which brings its own SQLite",
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
  // Some file systems say nothing of their size.
  const enough = total === 0 || (free >= FREE_BYTES_MIN && free >= total * FREE_PART_MIN);
  if (enough) return { checked, findings: [] };
  const what = `The disk of ${place} is nearly full: ${bytesText(free)} of ${bytesText(total)} are free`;
  const fix = "Make room before the next message cannot be written";
  return { checked, findings: [{ code: "little-space", severity: "warning", what, fix }] };
}
