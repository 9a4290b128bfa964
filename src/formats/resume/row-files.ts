/** Sessions that a tool keeps in rows, or in many small files, come back by a command of the tool, which reads one. */
import { join } from "node:path";
import type { Store } from "../../store/store.ts";
import { isPlainObject, type JsonObject } from "../../util/json.ts";
import { sha256Hex } from "../../util/sha256.ts";
import { parsedIn } from "../../util/values.ts";
import type { PlaceRoots, ResumeRule } from "../contract/format.ts";
import type { OriginalSource } from "../export/original/original.ts";
import { sourcesOf } from "./sources.ts";

/** A file for the tool to read. */
export interface RowFile {
  readonly path: string;
  readonly source: OriginalSource;
  /** The words of the command that reads it. */
  readonly command: readonly string[];
}

/** `undefined` if nothing of the session is in rows, or its tool has it; `"lost"` if it cannot come back. */
export async function rowFile(
  store: Store,
  { id, sourceId }: { readonly id: string; readonly sourceId: string },
  { rows }: ResumeRule,
  roots: PlaceRoots,
  folder: string,
): Promise<RowFile | "lost" | undefined> {
  const sources = await sourcesOf(store, id);
  if (!sources.some(({ form }) => form === "rows")) return undefined;
  if (rows === undefined) return "lost";
  if (await rows.isThere(sourceId, roots)) return undefined;
  const kept = await Promise.all(sources.map(rowsIn));
  const value = rows.file(kept.flat());
  if (value === undefined) return "lost";
  const bytes = Buffer.from(`${JSON.stringify(value, null, 2)}\n`);
  // Other rows get another name, so that nothing is overwritten.
  const path = join(folder, `${rowFilePrefix(sourceId)}${sha256Hex(bytes).slice(0, 8)}.json`);
  const [first] = sources as [OriginalSource];
  return { path, source: { ...first, bytes: () => whole(bytes) }, command: rows.command(path) };
}

/** How the names of the files begin that are written for a session. */
export function rowFilePrefix(sourceId: string): string {
  return `${sourceId.replaceAll(/[^\w-]/g, "_")}-`;
}

/** A file is in the form that files in rows have. */
async function rowsIn({ file, form, bytes }: OriginalSource): Promise<JsonObject[]> {
  const text = Buffer.concat(await Array.fromAsync(bytes())).toString();
  if (form !== "rows") return [{ file, text }];
  return text
    .split("\n")
    .map((line) => parsedIn(line))
    .filter((row): row is JsonObject => isPlainObject(row));
}

async function* whole(bytes: Buffer): ReturnType<OriginalSource["bytes"]> {
  yield bytes;
  return { bytes: bytes.length, isExact: false, notes: [] };
}
