/** What a tool needs to know of a source to say where it belongs. */
import type { JsonObject } from "../../util/json.ts";
import { filledIn } from "../../util/values.ts";
import { insideZip, zipOf } from "../sources/member-path.ts";

/**
 * Names come from another machine: none may lead upwards. A compressed file is put back uncompressed, and a member of a
 * zip is put back as if it had been beside it.
 */
export function partsOf(file: string): string[] {
  const parts = insideZip(file)
    .split(/[\\/]+/)
    .filter((part) => !["", ".", ".."].includes(part) && !part.includes("\0"));
  return parts.map((part, index) => (index === parts.length - 1 ? part.replace(/\.zst$/, "") : part));
}

/** The folder that a conversation is about. */
export function folderOf({ cwd, directory, directories }: JsonObject): string | undefined {
  const [first] = Array.isArray(directories) ? directories : [];
  return filledIn(cwd) ?? filledIn(directory) ?? filledIn(first);
}

/** The folders that sessions have beside their transcripts. */
export function foldersOf(sessions: readonly string[]): string[] {
  const slashed = sessions.map((file) => file.replaceAll("\\", "/"));
  return slashed.map((file) => `${zipOf(file)}${insideZip(file).replace(/\.[^/]*$/, "")}/`);
}
