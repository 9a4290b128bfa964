import { join } from "node:path";
import { ColloquyError } from "../../errors.ts";
import { type Draft, folderOf } from "./draft.ts";
import { ownPath } from "./target.ts";

/** The files of an adopted config as they will stand in our folder: all of them, since theirs are not read any more. */
export function adoptedTexts(draft: Draft): Map<string, string> {
  const texts = new Map<string, string>();
  const { reads } = draft;
  for (const file of new Set(draft.files)) {
    // The only one that is not named by its real path.
    const dotEnv = file === join(folderOf(draft), ".env");
    const own = ownPath(draft, dotEnv ? reads.realPath(file) : file);
    const text = reads.read(file, Number.MAX_SAFE_INTEGER).bytes.toString("utf8");
    if (reads.exists(own) && reads.read(own, Number.MAX_SAFE_INTEGER).bytes.toString("utf8") !== text) {
      throw new ColloquyError(
        "CONFLICT",
        `Nothing was changed: ${own} is in the way of a copy of ${file}. Move one of them`,
        {
          field: "config",
        },
      );
    }
    if (!reads.exists(own)) texts.set(own, text);
  }
  return texts;
}
