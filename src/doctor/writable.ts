/** Whether Colloquy can write where it has to. */
import { accessSync, constants, existsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import type { Checkup, DoctorFinding } from "./finding.ts";
import type { StoreToCheck } from "./store.ts";

export function checkWritable(stateDir: string, { engine, path, expected }: StoreToCheck): Checkup {
  const store = path === null || !expected ? [] : [path, ...(engine === "sqlite" ? [dirname(path)] : [])];
  const places = new Set([stateDir, ...store].map(existingPlace));
  return {
    checked: "Write access",
    findings: [...places].filter((place) => !isWritable(place)).map(notWritable),
  };
}

/** A folder that does not exist yet is created in the nearest one that does. */
function existingPlace(path: string): string {
  let place = path;
  while (!existsSync(place) && dirname(place) !== place) place = dirname(place);
  return place;
}

function isWritable(path: string): boolean {
  const isFolder = statSync(path).isDirectory();
  try {
    accessSync(path, isFolder ? constants.W_OK | constants.X_OK : constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function notWritable(path: string): DoctorFinding {
  const isFolder = statSync(path).isDirectory();
  const isOwn = statSync(path).uid === process.getuid?.();
  const shell = ["chmod", isFolder ? "u+rwx" : "u+rw", path];
  return {
    code: "not-writable",
    severity: "error",
    what: `Colloquy cannot write to ${path}: every message would be refused`,
    fix: isOwn
      ? { text: "Allow it, unless the disk is read-only", shell }
      : { text: "Make this user its owner, or choose another state folder", setting: "state-dir" },
    details: { path },
  };
}
