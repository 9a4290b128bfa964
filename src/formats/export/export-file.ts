/** Writes exports to disk: completely, or not at all. */
import { existsSync, statSync } from "node:fs";
import { mkdir, open } from "node:fs/promises";
import { dirname } from "node:path";
import { systemIo } from "../../disk/file-io.ts";
import { refuseOpenStore } from "../../disk/open-stores.ts";
import { withTemporary } from "../../disk/replace-file.ts";
import type { ConversationInfo } from "../../engine/index.ts";
import { asColloquyError, ColloquyError } from "../../errors.ts";
import { systemRandom } from "../../util/uuid.ts";
import { EXPORT_FORMATS, type ExportFormat } from "./options.ts";
import { claudeCodeName, codexName } from "./sessions/session-id.ts";

const WRITE_CHARS = 1 << 16;

/**
 * Write pieces to a new file that gets its name when it is complete and synced.
 * An existing file is a `CONFLICT`, unless `force`. Without `syncFolder`, the caller syncs the folder.
 * Returns the bytes written.
 */
export async function writeExport(
  path: string,
  pieces: AsyncIterable<string | Uint8Array>,
  { force = false, syncFolder = true }: { readonly force?: boolean; readonly syncFolder?: boolean } = {},
): Promise<number> {
  const options = { io: systemIo, random: systemRandom, mustBeNew: !force, syncFolder };
  refuseOpenStore(path, "out", "Choose another name");
  try {
    return await withTemporary(path, (temporary) => writeAll(temporary, pieces), options);
  } catch (error) {
    throw explained(error, path);
  }
}

async function writeAll(path: string, pieces: AsyncIterable<string | Uint8Array>): Promise<number> {
  await using file = await open(path, "wx", 0o600);
  let bytes = 0;
  let waiting = "";
  for await (const piece of pieces) {
    if (typeof piece !== "string") {
      bytes += await append(file, piece);
      continue;
    }
    waiting += piece;
    if (waiting.length < WRITE_CHARS) continue;
    bytes += await append(file, waiting);
    waiting = "";
  }
  bytes += await append(file, waiting);
  await file.sync();
  return bytes;
}

async function append(file: Awaited<ReturnType<typeof open>>, piece: string | Uint8Array): Promise<number> {
  await file.appendFile(piece);
  return Buffer.byteLength(piece);
}

function explained(error: unknown, path: string): ColloquyError {
  const { code } = error as NodeJS.ErrnoException;
  if (code === "EEXIST") return alreadyThere(path);
  if (code === "ENOENT")
    return new ColloquyError("NOT_FOUND", `The folder ${dirname(path)} does not exist`, { field: "out" });
  return asColloquyError(error, `Cannot write ${path}`);
}

export function alreadyThere(path: string): ColloquyError {
  return new ColloquyError(
    "CONFLICT",
    `${path} already exists: choose another name, or replace it with --force`,
    {
      field: "out",
    },
  );
}

/** The folder that a file will be in. */
export async function makeFolderOf(path: string): Promise<void> {
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const inPlace = code === "EEXIST" || code === "ENOTDIR" ? fileAbove(dirname(path)) : undefined;
    if (inPlace === undefined) throw asColloquyError(error, `Cannot write ${path}`);
    throw new ColloquyError("CONFLICT", `${inPlace} is not a folder`, { field: "out", cause: error });
  }
}

/** What is in the place of a folder. */
function fileAbove(path: string): string | undefined {
  let at = path;
  while (!existsSync(at) && at !== dirname(at)) at = dirname(at);
  return statSync(at).isDirectory() ? undefined : at;
}

const NAME_CHARS_MAX = 60;

/** A unique file name for a conversation, safe on every disk; of a session, the one that its tool looks for. */
export function exportName(
  info: Pick<ConversationInfo, "id" | "key" | "createdAt">,
  to: ExportFormat,
): string {
  if (to === "claude-code") return claudeCodeName(info);
  if (to === "codex") return codexName(info);
  const { id, key } = info;
  const words = (key ?? "")
    .normalize("NFKD")
    .replace(/[^A-Za-z0-9]+/g, "-")
    .toLowerCase()
    .slice(0, NAME_CHARS_MAX)
    .replace(/^-+|-+$/g, "");
  return `${words === "" ? "" : `${words}-`}${id}${EXPORT_FORMATS[to].extension}`;
}
