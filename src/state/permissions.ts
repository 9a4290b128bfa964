/** Folders are 0700, files 0600. Wider permissions are removed, and a notice says so. */
import { chmodSync, lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";

const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;

export interface PermissionNotice {
  readonly path: string;
  /** The former permissions, such as `0644`. */
  readonly mode: string;
  readonly repaired: boolean;
  readonly message: string;
}

interface Open {
  readonly mode: number;
  readonly wanted: number;
  /** A shared folder such as `/tmp`, or one of another user: not ours to change. */
  readonly foreign: boolean;
}

/** The access of others to a file or folder. `undefined` when it is private, a link, or missing. */
function openTo(path: string): Open | undefined {
  // Windows has no permission bits, and the ones that Node reports mean nothing.
  if (process.platform === "win32") return undefined;
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined || !(stat.isFile() || stat.isDirectory())) return undefined;
  const mode = stat.mode & 0o7777;
  if ((mode & 0o077) === 0) return undefined;
  const foreign = (mode & STICKY) !== 0 || stat.uid !== process.geteuid?.();
  return { mode, wanted: stat.isDirectory() ? FOLDER_MODE : FILE_MODE, foreign };
}

const STICKY = 0o1000;

/** Remove the access of others to a file or folder. `undefined` when there was nothing to do. */
export function ensurePrivate(path: string): PermissionNotice | undefined {
  const open = openTo(path);
  if (open === undefined) return undefined;
  if (open.foreign || !closed(path, open)) {
    const owner = "and belongs to another user: ask its owner to run";
    return notice(
      path,
      open,
      (mode, wanted) =>
        `is open to others (${mode}) ${owner} chmod ${wanted}, or choose another state folder`,
    );
  }
  const done = notice(path, open, (mode, wanted) => `was open to others (${mode}): changed to 0${wanted}`);
  return { ...done, repaired: true };
}

/** The notice for a file that is not ours to change. */
export function openNotice(path: string): PermissionNotice | undefined {
  const open = openTo(path);
  return open && notice(path, open, (mode, wanted) => `is open to others (${mode}): run chmod ${wanted}`);
}

function notice(path: string, open: Open, text: (mode: string, wanted: string) => string): PermissionNotice {
  const mode = octal(open.mode);
  // Never adds permissions: a read-only file stays read-only.
  const wanted = octal(open.mode & open.wanted).slice(1);
  return { path, mode, repaired: false, message: `${path} ${text(mode, wanted)}` };
}

function closed(path: string, { mode, wanted }: Open): boolean {
  try {
    chmodSync(path, mode & wanted);
    return true;
  } catch {
    return false;
  }
}

function octal(mode: number): string {
  return `0${mode.toString(8).padStart(3, "0")}`;
}

const ENTRIES_MAX = 10_000;

/** Everything below a folder, the folder first. Links are not followed. */
function pathsBelow(root: string): string[] {
  if (lstatSync(root, { throwIfNoEntry: false })?.isDirectory() !== true) return [];
  const found = [root];
  // The list grows during the loop.
  for (const folder of found) {
    if (found.length >= ENTRIES_MAX) break;
    if (lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) continue;
    for (const name of readdirSync(folder)) found.push(join(folder, name));
  }
  return found;
}

/** Make the whole state folder private. */
export function repairPermissions(root: string): PermissionNotice[] {
  return pathsBelow(root).flatMap((path) => ensurePrivate(path) ?? []);
}
