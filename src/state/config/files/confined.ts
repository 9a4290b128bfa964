import { relative } from "node:path";
import { absolute } from "../../folder.ts";
import type { ConfigReads } from "./reads.ts";

interface Confinement {
  readonly reads: ConfigReads;
  readonly home: string;
  /** No file outside this folder is read. */
  readonly root: string;
}

interface Refusal {
  readonly problem: "outside" | "missing";
  readonly message: string;
}

/**
 * The real path of a file in the folder of the config.
 *
 * Links are resolved before the check, so that none leads outside, and the
 * caller opens the resolved path.
 */
export function confined({ reads, home, root }: Confinement, name: string, from: string): string | Refusal {
  const outside = {
    problem: "outside",
    message: `${name} is outside the folder of the config`,
  } as const;
  const wanted = absolute(name, home, from);
  let folder: string;
  let real: string;
  try {
    folder = reads.realPath(root);
    if (!isInside(root, wanted) && !isInside(folder, wanted)) return outside;
    real = reads.realPath(wanted);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const why = code === "ENOENT" || code === "ENOTDIR" ? "does not exist" : `cannot be read (${code})`;
    return { problem: "missing", message: `The file ${name} ${why}` };
  }
  if (isInside(folder, real)) return real;
  return { ...outside, message: `${outside.message}: it is a link that leads there` };
}

/** Whether a path is below a folder, and not the folder itself. */
export function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== "" && way !== ".." && !/^\.\.[\\/]/.test(way) && !/^(?:[A-Za-z]:|[\\/])/.test(way);
}
