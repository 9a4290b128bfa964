/** Creates conversations in the legacy format, under the lock. */
import { join } from "node:path";
import { replaceFile } from "../../../disk/replace-file.ts";
import { EMPTY_LOG } from "../../../transcript/log-state.ts";
import type { Metadata } from "../../../transcript/metadata.ts";
import { isoTime } from "../../../util/time.ts";
import { isOfStore, logName, metadataName, stemMs } from "../folder/names.ts";
import type { JsonlContext } from "../jsonl-context.ts";

/**
 * The file is named after its session key, where the programs that use such
 * files look for it. Without a key, or if the name is taken, it has the name of
 * a log of the store.
 */
export function createLegacyFile(context: JsonlContext, stem: string, metadata: Metadata): void {
  const { legacy, folder, random, files } = context;
  // Readers derive the stem from the time of creation, so no two conversations may share it.
  const own = { ...metadata, createdAt: isoTime(stemMs(stem)) };
  const name = nameOf(metadata.key);
  const path = name === undefined ? undefined : join(folder, name);
  if (path !== undefined && legacy.real.stat(path) === undefined) {
    replaceFile(path, firstLine(own), { io: legacy.real, random });
    legacy.list(folder);
    if (legacy.ofStem(stem)?.files.log === path) return;
    // Another file was created at the same time.
    legacy.real.remove(path);
    legacy.list(folder);
  }
  const logPath = join(folder, logName(stem));
  replaceFile(logPath, firstLine(own), { io: legacy.real, random });
  try {
    files.writeMetadata(join(folder, metadataName(stem)), { ...own, log: EMPTY_LOG });
  } catch (error) {
    legacy.real.remove(logPath);
    throw error;
  }
}

const NAME_BYTES_MAX = 200;

/** As the legacy programs make it. `undefined` if the key does not fit into a name. */
function nameOf(key: string | null): string | undefined {
  if (key === null || /[\p{Cc}\s]/u.test(key)) return undefined;
  const name = `${key.replace(/[/\\:*?"<>|]/g, "_")}.jsonl`;
  return isOfStore(name) || Buffer.byteLength(name) > NAME_BYTES_MAX ? undefined : name;
}

/** Without a version, as legacy programs write it, so that they do not take the file for v2. */
function firstLine({ id, key, title, channel, model, profileId, createdAt, updatedAt }: Metadata): Buffer {
  const line = {
    _type: "metadata",
    created_at: createdAt,
    updated_at: updatedAt,
    metadata: {},
    id,
    key,
    title,
    channel,
    model,
    profile_id: profileId,
  };
  return Buffer.from(`${JSON.stringify(line)}\n`);
}
