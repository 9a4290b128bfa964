import { once } from "node:events";
import { resolve } from "node:path";
import type { ConversationInfo } from "../../../engine/index.ts";
import { ColloquyError } from "../../../errors.ts";
import { FreeNames } from "../../../formats/export/original/free-names.ts";
import { type OriginalSource, originalSources } from "../../../formats/export/original/original.ts";
import { type WrittenOriginal, writeOriginals } from "../../../formats/export/original/write-originals.ts";
import type { Store } from "../../../store/store.ts";
import { bytesText } from "../../../util/bytes-text.ts";
import { safeLine } from "../../../util/visible-text.ts";
import type { Call, Result } from "../../command.ts";
import { UsageError } from "../../exit.ts";
import { withProgress } from "../../terminal/progress.ts";
import { wrap } from "../../terminal/wrap.ts";

/** `export --to original`: the sources of imported conversations, as they were read. */
export async function exportOriginals(
  call: Call,
  store: Store,
  infos: readonly ConversationInfo[],
  target: string,
): Promise<Result> {
  if (target === "-") return print(store, infos[0] as ConversationInfo);
  const force = call.flags.has("force");
  const work = () => writeAll(store, infos, resolve(target), { force, all: call.flags.has("all") });
  const exported = await withProgress(call, "Exporting", work);
  return { json: { format: "original", exported }, lines: reportLines(call, exported) };
}

interface Exported extends WrittenOriginal {
  readonly id: string;
}

async function writeAll(
  store: Store,
  infos: readonly ConversationInfo[],
  folder: string,
  { force, all }: { readonly force: boolean; readonly all: boolean },
): Promise<Exported[]> {
  const names = new FreeNames(folder);
  const exported: Exported[] = [];
  for (const { id } of infos) {
    try {
      const written = await writeOriginals(store, id, folder, { force, names });
      exported.push(...written.map((one) => ({ id, ...one })));
    } catch (error) {
      // Of all conversations, those that were not imported have no original.
      if (!all || !(error instanceof ColloquyError) || error.code !== "NOT_FOUND") throw error;
    }
  }
  return exported;
}

function reportLines({ out }: Call, exported: readonly Exported[]): string[] {
  if (exported.length === 0) return ["Nothing to export: no conversation was imported."];
  return exported.flatMap(({ path, bytes, isExact, notes }) => {
    const how = isExact ? "identical to its source" : "not identical to its source";
    return [
      ...wrap(`Exported ${safeLine(path)} (${bytesText(bytes)}, ${how})`, out.columns),
      ...notes.flatMap((note) => wrap(`  ${note}`, out.columns)),
    ];
  });
}

async function print(store: Store, { id }: ConversationInfo): Promise<Result> {
  const [source, ...others] = (await originalSources(store, id)).filter(
    ({ isFormer, isBeside }) => !isFormer && !isBeside,
  );
  if (others.length > 0) {
    throw new UsageError("The conversation comes from several files: specify a folder with --out", "out");
  }
  const { stdout } = process;
  for await (const piece of (source as OriginalSource).bytes()) {
    if (!stdout.write(piece)) await once(stdout, "drain");
  }
  return { json: null };
}
