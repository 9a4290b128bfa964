/** The files of a backup, and the manifest beside it with their checksums. */
import { createReadStream, existsSync, lstatSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join, relative, sep } from "node:path";
import { systemIo } from "../../disk/file-io.ts";
import { replaceFile } from "../../disk/replace-file.ts";
import { invalid, unavailable } from "../../errors.ts";
import { sha256 } from "../../util/sha256.ts";
import { systemRandom } from "../../util/uuid.ts";

export interface Manifest {
  readonly format: "colloquy-backup";
  readonly version: 1;
  readonly engine: string;
  readonly created_at: string;
  readonly conversations: number;
  readonly entries: number;
  /** The number of problems that the store had when it was copied. */
  readonly findings: number;
  readonly files: readonly { readonly name: string; readonly bytes: number; readonly sha256: string }[];
}

export function manifestOf(path: string): string {
  return join(dirname(path), `${basename(path)}.manifest.json`);
}

export function writeManifest(path: string, manifest: Manifest): void {
  const text = `${JSON.stringify(manifest, null, 2)}\n`;
  replaceFile(manifestOf(path), Buffer.from(text), { io: systemIo, random: systemRandom });
}

/** Compare a backup with its manifest. Returns the manifest, if there is one. */
export async function checkManifest(source: string): Promise<Manifest | undefined> {
  const path = manifestOf(source);
  if (!existsSync(path)) return undefined;
  let manifest: Manifest;
  try {
    manifest = JSON.parse(readFileSync(path, "utf8"));
    if (manifest.format !== "colloquy-backup" || !Array.isArray(manifest.files))
      throw new Error("not a manifest");
  } catch (error) {
    throw unavailable(`Cannot read ${path}: ${(error as Error).message}`, { cause: error });
  }
  const found = new Map((await checksums(source)).map((file) => [file.name, file]));
  for (const { name, sha256 } of manifest.files) {
    if (found.get(name)?.sha256 !== sha256) {
      const what = found.has(name) ? "was changed since the backup was made" : "is missing";
      throw unavailable(`The backup is damaged: ${join(source, name)} ${what}. Nothing was restored`);
    }
  }
  return manifest;
}

export async function checksums(path: string): Promise<Manifest["files"][number][]> {
  const files = [];
  for (const file of filesOf(path)) {
    const hash = sha256();
    let bytes = 0;
    for await (const chunk of createReadStream(file)) {
      hash.update(chunk);
      bytes += chunk.length;
    }
    files.push({ name: relative(path, file).split(sep).join("/") || ".", bytes, sha256: hash.digest("hex") });
  }
  return files;
}

/** The files of a backup. Refuses links: they lead to files outside of it, which a restore would change. */
export function filesOf(path: string): string[] {
  const stat = lstatSync(path);
  if (stat.isSymbolicLink())
    throw invalid(`${path} is a link, but a backup has only files and folders`, "backup");
  if (!stat.isDirectory()) return [path];
  return readdirSync(path, { withFileTypes: true })
    .flatMap((item) => filesOf(join(path, item.name)))
    .sort();
}
