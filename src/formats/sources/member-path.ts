/** The path of a member of a zip, as a report and an original name it. */

/**
 * The zip, and the number of a member whose name others have, too. It is the last one: what was exported from a zip
 * may be in another. Only this much of the name of a zip is asked for, because other files may have a `!` in theirs.
 */
const ZIP = /^.*\.zip[^/\\!]{0,32}!(?:#\d+\/)?/is;

/** The part of a path that leads into a zip, with the `!`; empty if it leads into none. */
export function zipOf(path: string): string {
  return ZIP.exec(path)?.[0] ?? "";
}

/** The name that a member has in its zip; of another file, its path. */
export function insideZip(path: string): string {
  return path.slice(zipOf(path).length);
}
