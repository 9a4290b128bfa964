/** Who can access the files, and what repairs have quarantined among them. */
import { existsSync, lstatSync, readdirSync, realpathSync, statSync } from "node:fs";
import { join } from "node:path";
import { ensurePrivate, type PermissionNotice, repairPermissions } from "../state/permissions.ts";
import { type Checkup, type DoctorFinding, type Fixed, type Fixing, NOTHING_TO_DO } from "./finding.ts";
import type { StoreToCheck } from "./store.ts";

const ENTRIES_MAX = 10_000;

export function checkStateFolder(folder: string, fixing: Fixing): Checkup {
  const checked = `State folder ${folder}`;
  const stat = statSync(folder, { throwIfNoEntry: false });
  if (stat === undefined) {
    const what = `There is no state folder at ${folder} yet`;
    const fix = { text: `${NOTHING_TO_DO}: the first message creates it` };
    return { checked, findings: [{ code: "no-state-folder", severity: "note", what, fix }] };
  }
  if (!stat.isDirectory()) {
    const fix = { text: "Move the file, or choose another state folder", setting: "state-dir" } as const;
    return {
      checked,
      findings: [{ code: "not-a-folder", severity: "error", what: `${folder} is a file`, fix }],
    };
  }
  return { checked, findings: privateFolder(folder, fixing) };
}

/** The files of a store outside the state folder. The folder around a SQLite file may be anything. */
export function checkStoreFiles({ engine, path }: StoreToCheck, fixing: Fixing): Checkup {
  const checked = `Permissions of ${path}`;
  if (path === null || !existsSync(path)) return { checked, findings: [] };
  if (engine === "jsonl") return { checked, findings: privateFolder(path, fixing) };
  const files = [path, `${path}-wal`, `${path}-shm`].filter((file) => existsSync(file));
  if (fixing !== undefined) fixing.push(...repaired(files.flatMap((file) => ensurePrivate(file) ?? [])));
  return { checked, findings: openFiles(files, (open) => ["chmod", "600", ...open]) };
}

function privateFolder(folder: string, fixing: Fixing): DoctorFinding[] {
  // The repair does not follow links, but the folder itself may be one.
  if (fixing !== undefined) fixing.push(...repaired(repairPermissions(realpathSync(folder))));
  const { files, folders } = below(folder);
  return [
    ...openFolders([folder, ...folders]),
    ...openFiles(files, () => ["find", folder, "-type", "f", "-exec", "chmod", "600", "{}", "+"]),
  ];
}

/** One line for folders and one for files: there may be thousands. */
function repaired(notices: readonly PermissionNotice[]): Fixed[] {
  const done = notices.filter((notice) => notice.repaired);
  const isFolder = ({ path }: PermissionNotice): boolean => lstatSync(path).isDirectory();
  return [
    ...summed("open-folder", done.filter(isFolder)),
    ...summed(
      "open-file",
      done.filter((notice) => !isFolder(notice)),
    ),
  ];
}

function summed(code: string, notices: readonly PermissionNotice[]): Fixed[] {
  const [first] = notices;
  if (first === undefined) return [];
  const others = notices.length === 1 ? "" : ` (and ${notices.length - 1} more)`;
  return [{ code, what: `${first.message}${others}` }];
}

function openFolders(folders: readonly string[]): DoctorFinding[] {
  const [root = ""] = folders;
  const all = ["find", root, "-type", "d", "-exec", "chmod", "700", "{}", "+"];
  return openToOthers("open-folder", "list", folders, (open) =>
    open.length === 1 ? ["chmod", "700", ...open] : all,
  );
}

function openFiles(files: readonly string[], shell: Shell): DoctorFinding[] {
  return openToOthers("open-file", "read", files, shell);
}

/** The words of a command that makes these paths private. */
type Shell = (open: readonly string[]) => readonly string[];

function openToOthers(code: string, can: string, paths: readonly string[], shell: Shell): DoctorFinding[] {
  const open = paths.filter(isOpen);
  if (open.length === 0) return [];
  return [
    {
      code,
      severity: "warning",
      what: `Other users of this machine can ${can} ${open[0]}${andMore(open)}`,
      fix: { text: "Remove their access", shell: shell(open) },
      fixable: true,
      details: { paths: open },
    },
  ];
}

function andMore(paths: readonly string[]): string {
  return paths.length === 1 ? "" : ` and ${paths.length - 1} more`;
}

function isOpen(path: string): boolean {
  // Windows has no permission bits.
  if (process.platform === "win32") return false;
  return ((statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & 0o077) !== 0;
}

interface Below {
  readonly files: readonly string[];
  readonly folders: readonly string[];
}

function below(folder: string): Below {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).slice(0, ENTRIES_MAX);
  const paths = (wanted: "isFile" | "isDirectory"): string[] =>
    entries.filter((entry) => entry[wanted]()).map((entry) => join(entry.parentPath, entry.name));
  return { files: paths("isFile"), folders: paths("isDirectory") };
}

const QUARANTINED = /\.(?:damaged|torn|bad|replaced)-\d{17}/;

/** Files that repairs moved aside. Only the user deletes them. */
export function checkQuarantine(folders: readonly (string | null)[]): Checkup {
  const places = folders.filter(
    (folder) => folder !== null && statSync(folder, { throwIfNoEntry: false })?.isDirectory(),
  );
  const files = places.flatMap((folder) => below(folder as string).files);
  const aside = [...new Set(files)].filter((file) => QUARANTINED.test(file));
  const checked = "No files set aside by repairs";
  if (aside.length === 0) return { checked, findings: [] };
  const finding: DoctorFinding = {
    code: "set-aside",
    severity: "note",
    what: `A repair set aside ${aside[0]}${andMore(aside)}`,
    fix: { text: "Keep it until you are sure that nothing is missing, then delete it" },
    details: { paths: aside },
  };
  return { checked, findings: [finding] };
}
