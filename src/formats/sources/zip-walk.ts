/** The members of a zip as files. */
import { openFile } from "./file-bytes.ts";
import { reasonOf } from "./problem.ts";
import { inZip } from "./surroundings.ts";
import type { SourceFile, WalkOptions } from "./types.ts";
import { isZip, listZip, memberHead, openMember, type Zip, type ZipMember } from "./zip.ts";

/** Sorted by name. `file` is the zip itself. */
export async function* walkZip(file: SourceFile, options: WalkOptions): AsyncGenerator<SourceFile> {
  using opened = await openFile(file.path).catch((error): undefined => {
    options.onProblem(file.path, reasonOf(error, file.path));
  });
  if (opened === undefined) return;
  const zip = await listZip(file.path, opened, (member, reason) =>
    options.onProblem(member === undefined ? file.path : shownName(file.path, member), reason),
  );
  const seen = new Map<string, number>();
  for (const member of zip.members) {
    options.signal?.throwIfAborted();
    const times = (seen.get(member.name) ?? 0) + 1;
    seen.set(member.name, times);
    const head = await memberHead(opened, member, member.name).catch((error) => {
      options.onProblem(shownName(file.path, member.name), reasonOf(error, member.name));
    });
    if (head === undefined) continue;
    if (isZip(head)) {
      options.onProblem(shownName(file.path, member.name), "is a zip inside a zip, which is not opened");
    } else yield memberFile(file, zip, member, times);
  }
}

/** Names in a zip are untrusted: control characters are shown as escapes. */
function shownName(zip: string, member: string): string {
  return `${zip}!${JSON.stringify(member).slice(1, -1)}`;
}

function memberFile(file: SourceFile, zip: Zip, member: ZipMember, times: number): SourceFile {
  const again = times === 1 ? "" : `#${times}`;
  return {
    path: `${file.path}!${member.name}`,
    root: file.root,
    relative: `${file.relative}!${member.name}`,
    size: member.size,
    modifiedMs: member.modifiedMs,
    identity: `${file.identity}!${member.name}${again}`,
    archive: file.path,
    open: () => openMember(zip, member),
    around: inZip(zip, member),
  };
}
