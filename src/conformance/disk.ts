import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

/** The files below a folder that contain these words. */
export function filesWith(folder: string, words: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile() && readFileSync(path).includes(words));
}
