/** The formats that a file may have, which depend on where it is. */
import type { FormatDeclaration, FormatWith } from "../../contract/format.ts";
import { FORMATS } from "../../readers/index.ts";
import type { SourceFile } from "../../sources/types.ts";

export type WithLines = FormatWith<"lines">;
export type WithDocument = FormatWith<"document">;
export type WithDatabase = FormatWith<"database">;

export interface Candidates {
  readonly lines: readonly WithLines[];
  readonly documents: readonly WithDocument[];
  readonly databases: readonly WithDatabase[];
  /** There is one, and the user chose it, so the content does not matter. */
  readonly isChosen: boolean;
}

function candidates(formats: readonly FormatDeclaration[], isChosen: boolean): Candidates {
  return {
    lines: formats.filter((format): format is WithLines => format.lines !== undefined),
    documents: formats.filter((format): format is WithDocument => format.document !== undefined),
    databases: formats.filter((format): format is WithDatabase => format.database !== undefined),
    isChosen,
  };
}

/** Of a file in no tool's home. */
export const ANY_FORMAT: Candidates = candidates(FORMATS, false);

const CHOSEN: ReadonlyMap<string, Candidates> = new Map(
  FORMATS.map((format) => [format.name, candidates([format], true)]),
);

const HOMES: readonly { readonly folder: string; readonly candidates: Candidates }[] = FORMATS.flatMap(
  ({ name, home }) => {
    const names = [name, ...(home?.runs ?? [])];
    const own = candidates(
      FORMATS.filter((format) => names.includes(format.name)),
      false,
    );
    return (home?.folders ?? []).map((folder) => ({ folder: `/${folder}/`, candidates: own }));
  },
);

/**
 * In the home of a tool only its own formats, because plugins and skills keep examples of chats there. The innermost
 * home counts. What the user named below one, a file or another folder, may be anything.
 */
export function candidatesFor(
  file: Pick<SourceFile, "path" | "root">,
  wanted: string | undefined,
): Candidates {
  if (wanted !== undefined) return CHOSEN.get(wanted) ?? ANY_FORMAT;
  if (file.path === file.root) return ANY_FORMAT;
  const path = file.path.replaceAll(/[\\!]/g, "/");
  let [innermost, found] = [file.root.length, ANY_FORMAT];
  for (const { folder, candidates } of HOMES) {
    const at = path.lastIndexOf(folder);
    const end = at + folder.length - 1;
    if (at !== -1 && end >= innermost) [innermost, found] = [end, candidates];
  }
  return found;
}

/** Whether the place of a file rules formats out. */
export function isNarrowedFor(file: Pick<SourceFile, "path" | "root">, wanted: string | undefined): boolean {
  return wanted === undefined && candidatesFor(file, wanted) !== ANY_FORMAT;
}
