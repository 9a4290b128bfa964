import { opendirSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { ColloquyError } from "../../errors.ts";

const MARKDOWN = /\.(?:md|markdown|mdx)$/i;
const FOLDERS_MAX = 100_000;
const DEPTH_MAX = 64;

/**
 * The Markdown files at and below a path. Links are not followed, so that a
 * walk ends and stays inside; hidden folders and `node_modules` are left out.
 */
export function* markdownFiles(path: string): Generator<string> {
  const start = resolve(path);
  const stats = statSync(start, { throwIfNoEntry: false });
  if (stats === undefined) throw new ColloquyError("NOT_FOUND", `There is nothing at ${start}`);
  if (!stats.isDirectory()) {
    yield start;
    return;
  }
  const folders = [{ path: start, depth: 0 }];
  for (let count = 0; folders.length > 0 && count < FOLDERS_MAX; count++) {
    const folder = folders.pop() as { path: string; depth: number };
    for (const entry of entriesOf(folder.path)) {
      const found = join(folder.path, entry.name);
      if (entry.isFile() && MARKDOWN.test(entry.name)) yield found;
      else if (entry.isDirectory() && folder.depth < DEPTH_MAX && !isLeftOut(entry.name)) {
        folders.push({ path: found, depth: folder.depth + 1 });
      }
    }
  }
}

function isLeftOut(name: string): boolean {
  return name.startsWith(".") || name === "node_modules";
}

/** None for a folder that vanished or cannot be read. */
function entriesOf(path: string): import("node:fs").Dirent[] {
  const entries: import("node:fs").Dirent[] = [];
  try {
    using folder = opendirSync(path);
    for (let entry = folder.readSync(); entry !== null; entry = folder.readSync()) entries.push(entry);
  } catch {
    return entries;
  }
  return entries.sort((one, other) => (one.name < other.name ? -1 : 1));
}
