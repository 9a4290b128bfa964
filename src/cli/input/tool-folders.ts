import { homedir } from "node:os";
import { join } from "node:path";
import type { PlaceRoots } from "../../formats/contract/format.ts";

/** Where tools keep their files, on this machine. */
export function toolFolders(): PlaceRoots {
  const home = homedir();
  const data = process.env.XDG_DATA_HOME || join(home, ".local", "share");
  return { home, data, environment: process.env };
}
