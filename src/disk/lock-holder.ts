import { readFileSync, statSync } from "node:fs";

/** Describes the process that has a write lock on a file. Only Linux reports which one. */
export function holderOf(path: string): string {
  const inode = statSync(path, { bigint: true, throwIfNoEntry: false })?.ino;
  const pid = inode === undefined ? undefined : lockingProcess(inode);
  if (pid === undefined) return "another process";
  return pid === process.pid ? "this process" : `process ${pid}${commandOf(pid)}`;
}

function lockingProcess(inode: bigint): number | undefined {
  try {
    for (const line of readFileSync("/proc/locks", "utf8").split("\n")) {
      const [, , , access, pid, file] = line.trim().split(/\s+/);
      if (access === "WRITE" && file?.endsWith(`:${inode}`) && Number(pid) > 0) return Number(pid);
    }
  } catch {
    // Not Linux.
  }
  return undefined;
}

function commandOf(pid: number): string {
  try {
    const words = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").filter(Boolean);
    return words.length > 0 ? ` (${words.join(" ").slice(0, 80)})` : "";
  } catch {
    return "";
  }
}
