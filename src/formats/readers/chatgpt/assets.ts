/** The files of an export of ChatGPT that messages point to. */
import type { Surroundings } from "../../contract/reader.ts";

/** The name of an asset's file, or `undefined` when it is not in the export. */
export type Assets = (assetId: string) => string | undefined;

export const NO_ASSETS: Assets = () => undefined;

const ASSET_ID = /file[-_][A-Za-z0-9]+/;

/** The id within a pointer such as `file-service://file-1a2B` or `sediment://file_00ff`. */
export function assetIdIn(pointer: string): string | undefined {
  // The name of a scheme looks like an id itself.
  return ASSET_ID.exec(pointer.slice(pointer.indexOf("://") + 1))?.[0];
}

/** An archive has thousands of files and thousands of conversations: its folder is listed once. */
const shared = new WeakMap<Surroundings, Promise<ReadonlyMap<string, string>>>();

export async function assetsAround(around: Surroundings, conversationId: string): Promise<Assets> {
  const common = shared.get(around) ?? commonFiles(around);
  shared.set(around, common);
  const own = await filesIn(around, [`${conversationId}/image`, `${conversationId}/audio`]);
  const everywhere = await common;
  return (assetId) => own.get(assetId) ?? everywhere.get(assetId);
}

async function commonFiles(around: Surroundings): Promise<ReadonlyMap<string, string>> {
  const beside = await around.list(".");
  // Files that tools made for the user are in a folder named after the account.
  const accounts = beside.filter((name) => /^user-[A-Za-z0-9]+$/.test(name));
  return filesIn(around, [".", "dalle-generations", ...accounts]);
}

/** Files are called `file-<id>-<name>` or `file_<id>-<name>`. */
async function filesIn(
  around: Surroundings,
  folders: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for (const folder of folders) {
    for (const name of await around.list(folder)) {
      const assetId = name.startsWith("file") ? assetIdIn(name) : undefined;
      const path = folder === "." ? name : `${folder}/${name}`;
      if (assetId !== undefined && !found.has(assetId)) found.set(assetId, path);
    }
  }
  return found;
}
