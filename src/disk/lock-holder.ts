import { readFileSync, statSync } from "node:fs";

/** Describes the process that has a write lock on a file. Only Linux reports which one. */
export function holderOf(path: string): string {
  const inode = statSync(path, { bigint: true, throwIfNoEntry: false })?.ino;
  const pid = inode === undefined ? undefined : lockingProcess(inode);
  if (pid === undefined) return "another process";
  return pid === process.pid ? "this process" : `process ${pid}${commandOf(pid)}`;
}

/** Whether a process has a lock on a file. Where the system does not report locks, one may. */
export function hasLocks(path: string): boolean {
  const inode = statSync(path, { bigint: true, throwIfNoEntry: false })?.ino;
  if (inode === undefined) return false;
  return locksOn(inode)?.length !== 0;
}

function lockingProcess(inode: bigint): number | undefined {
  return locksOn(inode)?.find(({ access, pid }) => access === "WRITE" && pid > 0)?.pid;
}

/** `undefined` if the system does not report locks. */
function locksOn(inode: bigint): { readonly access: string | undefined; readonly pid: number }[] | undefined {
  let lines: string[];
  try {
    lines = readFileSync("/proc/locks", "utf8").split("\n");
  } catch {
    return undefined;
  }
  return lines.flatMap((line) => {
    const [, , , access, pid, file] = line.trim().split(/\s+/);
    return file?.endsWith(`:${inode}`) ? [{ access, pid: Number(pid) }] : [];
  });
}

function commandOf(pid: number): string {
  try {
    const words = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").filter(Boolean);
    return words.length > 0 ? ` (${words.join(" ").slice(0, 80)})` : "";
  } catch {
    return "";
  }
}
