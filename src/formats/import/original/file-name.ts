import { basename } from "node:path";

/** By which a file is recognised in another folder. Tools compress files that they no longer use. */
export function fileName(path: string): string {
  return basename(path.replaceAll("\\", "/")).replace(/\.zst$/, "");
}
