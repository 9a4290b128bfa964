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
  const names = new MemberNames(zip);
  for (const member of zip.members) {
    options.signal?.throwIfAborted();
    const name = names.next(member);
    const head = await memberHead(opened, member, member.name).catch((error) => {
      options.onProblem(shownName(file.path, member.name), reasonOf(error, member.name));
    });
    if (head === undefined) continue;
    if (isZip(head)) {
      options.onProblem(shownName(file.path, member.name), "is a zip inside a zip, which is not opened");
    } else yield memberFile(file, zip, member, name);
  }
}

/** Names in a zip are untrusted: control characters are shown as escapes. */
function shownName(zip: string, member: string): string {
  return `${zip}!${JSON.stringify(member).slice(1, -1)}`;
}

/** Names in paths: an import knows files by their paths, and several members may have one name. */
class MemberNames {
  readonly #zip: Zip;
  /** How often a name was seen, or more where other members have the names that would follow. */
  readonly #seen: Map<string, number> = new Map();

  constructor(zip: Zip) {
    this.#zip = zip;
  }

  /** The number comes first, because readers look at folders and at how a name ends. */
  next({ name }: ZipMember): string {
    let times = (this.#seen.get(name) ?? 0) + 1;
    while (times > 1 && this.#zip.named.has(`#${times}/${name}`)) times++;
    this.#seen.set(name, times);
    return times === 1 ? name : `#${times}/${name}`;
  }
}

function memberFile(file: SourceFile, zip: Zip, member: ZipMember, name: string): SourceFile {
  return {
    path: `${file.path}!${name}`,
    root: file.root,
    relative: `${file.relative}!${name}`,
    size: member.size,
    modifiedMs: member.modifiedMs,
    identity: `${file.identity}!${name}`,
    archive: file.path,
    open: () => openMember(zip, member),
    around: inZip(zip, member, name),
  };
}
