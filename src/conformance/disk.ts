import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";

const SCRIPT = `
const { readdirSync, readFileSync, statSync } = require("node:fs");
const [folder, words] = process.argv.slice(1);
const paths = readdirSync(folder, { recursive: true }).map((name) => require("node:path").join(folder, name));
const isFile = (path) => statSync(path, { throwIfNoEntry: false })?.isFile() === true;
console.log(JSON.stringify(paths.filter((path) => isFile(path) && readFileSync(path).includes(words))));
`;

/**
 * The files below a folder that contain these words. A separate process reads them: this one would lose the
 * locks of its open store when it closes them.
 */
export function filesWith(folder: string, words: string): string[] {
  const values = ["--input-type=commonjs", "-e", SCRIPT, folder, words];
  const { status, stdout, stderr } = spawnSync(process.execPath, values, { encoding: "utf8" });
  assert.equal(status, 0, stderr);
  return JSON.parse(stdout) as string[];
}
