/** The tools whose conversations are in the usual places, and how much there is. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { PlaceRoots } from "../contract/format.ts";
import { FORMATS } from "../readers/index.ts";
import { walk } from "../sources/walk.ts";

export interface FoundTool {
  /** The name of its format. */
  readonly format: string;
  /** As people call it. */
  readonly name: string;
  readonly path: string;
  readonly files: number;
  readonly bytes: number;
}

/** Counts files; reads none of them. */
export async function foundTools(
  home: string,
  environment: PlaceRoots["environment"],
  signal?: AbortSignal,
): Promise<FoundTool[]> {
  const data = environment.XDG_DATA_HOME || join(home, ".local", "share");
  const found: FoundTool[] = [];
  for (const { name: format, usualPlaces } of FORMATS) {
    for (const { tool, path } of usualPlaces?.({ home, data, environment }) ?? []) {
      if (!existsSync(path)) continue;
      const size = await sizeOf(path, signal);
      // Many tools leave an empty folder behind.
      if (size.files > 0) found.push({ format, name: tool, path, ...size });
    }
  }
  return found.sort((a, b) => a.name.localeCompare(b.name, "en"));
}

async function sizeOf(
  path: string,
  signal: AbortSignal | undefined,
): Promise<{ files: number; bytes: number }> {
  let [files, bytes] = [0, 0];
  for await (const { size } of walk([path], { onProblem: () => {}, onOpenStore: () => {}, signal })) {
    files++;
    bytes += size;
  }
  return { files, bytes };
}
