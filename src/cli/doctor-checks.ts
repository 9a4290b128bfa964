/** What `colloquy doctor` looks at. Each check says that all is well, or what is wrong and what to do. */
import { existsSync, readdirSync, statfsSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { bytesText } from "./bytes-text.ts";
import { quoted } from "./invocation.ts";
import type { StoreTarget } from "./store-target.ts";

export interface DoctorFinding {
  /** Short and stable. */
  readonly code: string;
  readonly severity: "error" | "warning" | "info";
  readonly what: string;
  readonly fix: string;
}

/** What was looked at, and what is wrong with it. */
export interface Checkup {
  readonly checked: string;
  readonly findings: readonly DoctorFinding[];
}

const NODE_MAJOR_MIN = 24;
/** From here on a rare loss between processes is mended in SQLite's write-ahead log. */
const SQLITE_SAFE = "3.51.3";
const FREE_PART_MIN = 0.05;
const FREE_BYTES_MIN = 500_000_000;
const FILES_LOOKED_AT_MAX = 10_000;

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

export function checkStateFolder(folder: string): Checkup {
  const checked = `State folder ${folder}`;
  const stat = statSync(folder, { throwIfNoEntry: false });
  if (stat === undefined) {
    const fix = "Nothing to do: the first message makes it";
    return {
      checked,
      findings: [{ code: "no-state-folder", severity: "info", what: `There is no ${folder} yet`, fix }],
    };
  }
  if (!stat.isDirectory()) {
    const fix = "Move the file away, or choose another folder with --state-dir";
    return {
      checked,
      findings: [{ code: "not-a-folder", severity: "error", what: `${folder} is a file`, fix }],
    };
  }
  return { checked, findings: openToOthers(folder, filesBelow(folder)) };
}

/** The files of a store that a person put elsewhere. The folder of a SQLite file is not ours to judge. */
export function checkStoreFiles({ engine, path }: StoreTarget): Checkup {
  const checked = `Permissions of ${path}`;
  if (path === null || !existsSync(path)) return { checked, findings: [] };
  if (engine === "jsonl") return { checked, findings: openToOthers(path, filesBelow(path)) };
  const files = [path, `${path}-wal`, `${path}-shm`].filter((file) => existsSync(file));
  return { checked, findings: openToOthers(undefined, files) };
}

function openToOthers(folder: string | undefined, files: readonly string[]): DoctorFinding[] {
  // Windows has no such bits.
  if (process.platform === "win32") return [];
  const findings: DoctorFinding[] = [];
  if (folder !== undefined && isOpen(folder)) {
    const what = `Other users of this machine can look into ${folder}`;
    findings.push({ code: "open-folder", severity: "warning", what, fix: `chmod 700 ${quoted(folder)}` });
  }
  const open = files.filter(isOpen);
  const [first] = open;
  if (first !== undefined) {
    const others = open.length === 1 ? "" : ` and ${open.length - 1} more`;
    const what = `Other users of this machine may read ${first}${others}`;
    const all = folder === undefined ? `chmod 600 ${open.map(quoted).join(" ")}` : undefined;
    const fix = all ?? `find ${quoted(folder ?? "")} -type f -exec chmod 600 {} +`;
    findings.push({ code: "open-file", severity: "warning", what, fix });
  }
  return findings;
}

function isOpen(path: string): boolean {
  return ((statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & 0o077) !== 0;
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .slice(0, FILES_LOOKED_AT_MAX)
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
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
