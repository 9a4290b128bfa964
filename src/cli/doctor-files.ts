/** Whose files these are, and what was set aside among them. */
import { existsSync, lstatSync, readdirSync, realpathSync, statSync } from "node:fs";
import { join } from "node:path";
import { ensurePrivate, type PermissionNotice, repairPermissions } from "../state/permissions.ts";
import type { Checkup, DoctorFinding, Fixed, Fixing } from "./doctor-checks.ts";
import { quoted } from "./invocation.ts";
import type { StoreTarget } from "./store/store-target.ts";

const ENTRIES_LOOKED_AT_MAX = 10_000;

export function checkStateFolder(folder: string, fixing: Fixing): Checkup {
  const checked = `State folder ${folder}`;
  const stat = statSync(folder, { throwIfNoEntry: false });
  if (stat === undefined) {
    const fix = "Nothing to do: the first message makes it";
    return {
      checked,
      findings: [{ code: "no-state-folder", severity: "note", what: `There is no ${folder} yet`, fix }],
    };
  }
  if (!stat.isDirectory()) {
    const fix = "Move the file away, or choose another folder with --state-dir";
    return {
      checked,
      findings: [{ code: "not-a-folder", severity: "error", what: `${folder} is a file`, fix }],
    };
  }
  return { checked, findings: closedFolder(folder, fixing) };
}

/** The files of a store that a person put elsewhere. The folder of a SQLite file is not ours to judge. */
export function checkStoreFiles({ engine, path }: StoreTarget, fixing: Fixing): Checkup {
  const checked = `Permissions of ${path}`;
  if (path === null || !existsSync(path)) return { checked, findings: [] };
  if (engine === "jsonl") return { checked, findings: closedFolder(path, fixing) };
  const files = [path, `${path}-wal`, `${path}-shm`].filter((file) => existsSync(file));
  if (fixing !== undefined) fixing.push(...closed(files.flatMap((file) => ensurePrivate(file) ?? [])));
  return { checked, findings: openFiles(files, (open) => `chmod 600 ${open.map(quoted).join(" ")}`) };
}

function closedFolder(folder: string, fixing: Fixing): DoctorFinding[] {
  // A link is not followed there, but this one is the folder itself.
  if (fixing !== undefined) fixing.push(...closed(repairPermissions(realpathSync(folder))));
  const { files, folders } = below(folder);
  return [
    ...openFolders([folder, ...folders]),
    ...openFiles(files, () => `find ${quoted(folder)} -type f -exec chmod 600 {} +`),
  ];
}

/** What was closed, in a line for folders and one for files: there may be thousands. */
function closed(notices: readonly PermissionNotice[]): Fixed[] {
  const repaired = notices.filter((notice) => notice.repaired);
  const isFolder = ({ path }: PermissionNotice): boolean => lstatSync(path).isDirectory();
  return [
    ...summed("open-folder", repaired.filter(isFolder)),
    ...summed(
      "open-file",
      repaired.filter((notice) => !isFolder(notice)),
    ),
  ];
}

function summed(code: string, notices: readonly PermissionNotice[]): Fixed[] {
  const [first] = notices;
  if (first === undefined) return [];
  const others = notices.length === 1 ? "" : `. So were ${notices.length - 1} more`;
  return [{ code, what: `${first.message}${others}` }];
}

function openFolders(folders: readonly string[]): DoctorFinding[] {
  const open = folders.filter(isOpen);
  const [first] = open;
  if (first === undefined) return [];
  const [root = ""] = folders;
  const what = `Other users of this machine can look into ${first}${andMore(open)}`;
  const fix =
    open.length === 1 ? `chmod 700 ${quoted(first)}` : `find ${quoted(root)} -type d -exec chmod 700 {} +`;
  return [{ code: "open-folder", severity: "warning", what, fix }];
}

function openFiles(files: readonly string[], fix: (open: readonly string[]) => string): DoctorFinding[] {
  const open = files.filter(isOpen);
  if (open.length === 0) return [];
  const what = `Other users of this machine may read ${open[0]}${andMore(open)}`;
  return [{ code: "open-file", severity: "warning", what, fix: fix(open) }];
}

function andMore(paths: readonly string[]): string {
  return paths.length === 1 ? "" : ` and ${paths.length - 1} more`;
}

function isOpen(path: string): boolean {
  // Windows has no such bits.
  if (process.platform === "win32") return false;
  return ((statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & 0o077) !== 0;
}

interface Below {
  readonly files: readonly string[];
  readonly folders: readonly string[];
}

function below(folder: string): Below {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const looked = entries.slice(0, ENTRIES_LOOKED_AT_MAX);
  const paths = (wanted: "isFile" | "isDirectory"): string[] =>
    looked.filter((entry) => entry[wanted]()).map((entry) => join(entry.parentPath, entry.name));
  return { files: paths("isFile"), folders: paths("isDirectory") };
}

/** As a file is called that was set aside. */
const ASIDE = /\.(?:damaged|torn|bad|replaced)-\d{17}/;

/** What repairs have set aside. Nothing deletes it but a person. */
export function checkLeftovers(folders: readonly (string | null)[]): Checkup {
  const places = folders.filter(
    (folder) => folder !== null && statSync(folder, { throwIfNoEntry: false })?.isDirectory(),
  );
  const files = places.flatMap((folder) => below(folder as string).files);
  const aside = [...new Set(files)].filter((file) => ASIDE.test(file));
  const checked = "Nothing was set aside by a repair";
  if (aside.length === 0) return { checked, findings: [] };
  const what = `A repair has set aside ${aside[0]}${andMore(aside)}`;
  const fix = "Keep it until you know that nothing is missing; then it can be deleted";
  return { checked, findings: [{ code: "set-aside", severity: "note", what, fix }] };
}
