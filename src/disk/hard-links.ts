import { unavailable } from "../errors.ts";
import type { FileStat } from "./file-io.ts";

/**
 * Call it before a write that changes a file in place. A folder that was copied
 * with hard links shares its files with the original, and each of the two would
 * write into the other.
 */
export function refuseHardLinks(path: string, { links }: Pick<FileStat, "links">): void {
  if (links <= 1) return;
  throw unavailable(
    `${path} has ${links} hard links, and a write would change the file under every name. Copy the folder without links (cp -r) and use the copy, or remove the other names`,
    { details: { path, links } },
  );
}
