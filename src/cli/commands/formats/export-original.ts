import { once } from "node:events";
import { resolve } from "node:path";
import type { ConversationInfo } from "../../../engine/index.ts";
import { type OriginalSource, originalSources } from "../../../formats/export/original/original.ts";
import { type WrittenOriginal, writeOriginals } from "../../../formats/export/original/write-originals.ts";
import type { Store } from "../../../store/store.ts";
import { bytesText } from "../../../util/bytes-text.ts";
import { safeLine } from "../../../util/visible-text.ts";
import type { Call, Result } from "../../command.ts";
import { EXIT_DONE, EXIT_PROBLEMS, UsageError } from "../../exit.ts";
import { counted } from "../../terminal/count-text.ts";
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
  // Of all conversations, those that were not imported have no original.
  const options = { force: call.flags.has("force"), skipsOthers: call.flags.has("all") };
  const ids = inOrder(infos).map(({ id }) => id);
  const work = () => writeOriginals(store, ids, resolve(target), options);
  const exported = await withProgress(call, "Exporting", work);
  return {
    json: { format: "original", exported },
    lines: reportLines(call, exported),
    exit: exported.some(isLeft) ? EXIT_PROBLEMS : EXIT_DONE,
  };
}

/** Each conversation keeps the names of its files when the export is made again, however lately it was used. */
function inOrder(infos: readonly ConversationInfo[]): ConversationInfo[] {
  const named = ({ createdAt, id }: ConversationInfo): string => `${createdAt} ${id}`;
  return infos.toSorted((one, other) => (named(one) < named(other) ? -1 : 1));
}

function reportLines({ out, flags }: Call, exported: readonly WrittenOriginal[]): string[] {
  if (exported.length === 0) return ["Nothing to export: no conversation was imported."];
  const instead = flags.has("force") ? "" : ", or replace what is there with --force";
  const same = exported.filter(({ state }) => state === "same").length;
  const lines = (text: string, notes: readonly string[] = []): string[] => [
    ...wrap(text, out.columns),
    ...notes.flatMap((note) => wrap(`  ${note}`, out.columns)),
  ];
  return [
    ...exported
      .filter(({ state }) => state === "written")
      .flatMap(({ path, bytes, isExact, notes }) => {
        const how = isExact ? "identical to its source" : "not identical to its source";
        return lines(`Exported ${safeLine(path)} (${bytesText(bytes)}, ${how})`, notes);
      }),
    ...(same > 0 ? lines(`${counted(same, "file")} ${same === 1 ? "was" : "were"} there already.`) : []),
    ...exported
      .filter(isLeft)
      .flatMap(({ path, notes }) => lines(`Left ${safeLine(path)}: something else is there`, notes)),
    ...(exported.some(isLeft) ? lines(`Choose another folder${instead}.`) : []),
  ];
}

function isLeft({ state }: WrittenOriginal): boolean {
  return state === "differs";
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
