/** The files of an imported conversation that exist, which its erasure does not reach. */
import { existsSync, readdirSync } from "node:fs";
import { join, posix } from "node:path";
import { originalIn } from "../../store/originals/provenance.ts";
import type { Store } from "../../store/store.ts";
import { checkMethod, checkString } from "../../util/checked-arguments.ts";
import { isPlainObject } from "../../util/json.ts";
import type { PlaceRoots } from "../contract/format.ts";
import { madeId } from "../contract/ids.ts";
import { filesOf } from "../import/ledger/read-ledger.ts";
import { FORMATS } from "../readers/index.ts";
import { isWithin } from "../sources/surroundings.ts";
import { introductionFrom } from "./agents.ts";
import { folderOf, foldersOf, partsOf } from "./places.ts";
import { rowFilePrefix } from "./row-files.ts";

/**
 * Where it was imported from, as far as the ledger of imports knows, and where `resume` puts its files, also those
 * that `resume` wrote to `folder`. An archive, and a file of several conversations, may hold others as well. The
 * conversation may be in the trash.
 */
export async function remainingFiles(
  store: Store,
  id: string,
  roots: PlaceRoots,
  folder: string,
): Promise<string[]> {
  checkMethod(store, "ingest", "store");
  checkString(id, "id");
  const ingest = store.ingest();
  const originals = await ingest.originals(id, { trash: true });
  if (originals.length === 0) return [];
  const read = filesOf(store, id);
  const { introduction, attached } = await lookedThrough(store, id, originals);
  const own = [...new Set(originals.map(({ file }) => slashed(file)))];
  const files = [...own, ...attached];
  const key = (await ingest.find(id))?.key ?? null;
  const found = [
    ...read.map(containerOf),
    ...read.flatMap((path) => besides(slashed(path), files)),
    ...(introduction === undefined
      ? []
      : placesOf(introduction, key, [...own, ...inFolders(attached, foldersOf(own))], roots)),
    ...(introduction === undefined ? [] : rowFilesOf(introduction.sourceId, folder)),
  ];
  return [...new Set(found.filter((path) => existsSync(path)))].sort();
}

type Introduction = NonNullable<ReturnType<typeof introductionFrom>>;

/** What the first entry says, and the files that messages refer to. */
async function lookedThrough(
  store: Store,
  id: string,
  originals: readonly { readonly number: number; readonly file: string }[],
): Promise<{ introduction: Introduction | undefined; attached: string[] }> {
  const named = new Map(originals.map(({ number, file }) => [number, slashed(file)]));
  const attached = new Set<string>();
  let introduction: Introduction | undefined;
  for await (const entry of store.ingest().log(id, 0, { trash: true })) {
    if (entry.id === madeId("import", id)) introduction = introductionFrom(entry);
    const file = named.get(originalIn(entry) ?? -1);
    if (file === undefined) continue;
    for (const name of namesIn(entry.message?.content)) attached.add(posix.join(posix.dirname(file), name));
  }
  return { introduction, attached: [...attached] };
}

function* namesIn(content: unknown): Generator<string> {
  for (const block of Array.isArray(content) ? content : []) {
    if (!isPlainObject(block) || block.missing === true) continue;
    if (block.type === "tool_result") yield* namesIn(block.content);
    if (isPlainObject(block.source) && typeof block.source.name === "string") yield block.source.name;
  }
}

/** Only there `resume` puts files of messages. */
function inFolders(files: readonly string[], folders: readonly string[]): string[] {
  return files.filter((file) => folders.some((folder) => file.startsWith(folder)));
}

/** The path of an archive, for a member of it. What is beside the archive may have the beginning of its name. */
function containerOf(path: string): string {
  if (existsSync(path)) return path;
  const parts = path.split("!");
  const ends = parts.map((_, index) => parts.slice(0, index + 1).join("!"));
  return ends.findLast((end) => existsSync(end)) ?? path;
}

/** Files below the folder that was imported. Names in messages come from sources, and may lead anywhere. */
function besides(path: string, files: readonly string[]): string[] {
  const own = files.find((file) => path.endsWith(`/${file}`));
  if (own === undefined) return [];
  const root = path.slice(0, -own.length - 1);
  return files.map((file) => join(root, file)).filter((found) => isWithin(found, join(root)));
}

function placesOf(
  { format, sourceId, about }: Introduction,
  key: string | null,
  files: readonly string[],
  roots: PlaceRoots,
): string[] {
  const rule = FORMATS.find(({ name }) => name === format)?.resume;
  if (rule === undefined) return [];
  return files.flatMap((file) => {
    const source = { parts: partsOf(file), sourceId, key, cwd: folderOf(about), about };
    return [rule.place(source, roots) ?? [], rule.archive?.place(source, roots) ?? []].flat();
  });
}

function rowFilesOf(sourceId: string, folder: string): string[] {
  const prefix = rowFilePrefix(sourceId);
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return names.filter((name) => name.startsWith(prefix)).map((name) => join(folder, name));
}

function slashed(path: string): string {
  return path.replaceAll("\\", "/");
}
