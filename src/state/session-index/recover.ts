import type { FileIo } from "../../disk/file-io.ts";
import type { KeyConfig } from "../../key/index.ts";
import { canonicalKey, recoveredKey } from "./canonical-key.ts";
import { settle } from "./document.ts";
import { idOfFile, readEntry, type SessionEntry, type SessionStore } from "./entry.ts";
import { salvage } from "./salvage.ts";
import { entryOfTranscript, transcriptsIn } from "./transcripts.ts";

type Found = (readonly [key: string, entry: SessionEntry])[];

/**
 * Rebuild an index from the rest of a damaged one and from the transcripts
 * beside it. Damage is never read as "empty": a transcript that no entry names
 * is found under `recovered:<id>`.
 */
export function recoverEntries(
  io: FileIo,
  folder: string,
  damaged: Buffer | undefined,
  config?: KeyConfig,
): SessionStore {
  const found = damaged === undefined ? [] : salvaged(damaged, config);
  const named = new Set<string | undefined>();
  for (const [, { sessionId, sessionFile }] of found) named.add(sessionId).add(idOfFile(sessionFile));
  for (const name of transcriptsIn(io, folder)) {
    if (named.has(idOfFile(name))) continue;
    const entry = entryOfTranscript(io, folder, name);
    if (entry !== undefined && !named.has(entry[1].sessionId)) found.push(entry);
  }
  return settle(found);
}

function salvaged(damaged: Buffer, config: KeyConfig | undefined): Found {
  const found: Found = [];
  for (const [key, value] of salvage(damaged.toString())) {
    const entry = readEntry(value);
    if (entry === undefined) continue;
    found.push([canonicalKey(key, config, entry.channel) ?? recoveredKey(entry.sessionId), entry]);
  }
  return found;
}
