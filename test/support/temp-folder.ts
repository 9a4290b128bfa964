import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const made: string[] = [];

/** A folder for one test, removed afterwards. */
export function tempFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "colloquy-test-"));
  made.push(folder);
  return folder;
}

export function removeTempFolders(): void {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true });
}
