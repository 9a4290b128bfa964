/** The lines that the JSONL engine would write, including large parts (docs/format/jsonl-v2.md). */

import { LINE_BYTES_MAX } from "../../disk/line-scan.ts";
import { ColloquyError } from "../../errors.ts";
import type { ExportEntry, Snapshot } from "../../store/read/snapshot.ts";
import { encodeEntry, encodeHeader, sealObject } from "../../transcript/lines.ts";
import type { JsonObject } from "../../util/json.ts";
import type { Cleaner } from "./cleaning.ts";
import { base64 } from "./json.ts";
import type { Wanted } from "./options.ts";

export async function* jsonl(
  snapshot: Snapshot,
  wanted: Wanted,
  cleaner: Cleaner,
): AsyncGenerator<string, void, undefined> {
  yield headerLine(snapshot, cleaner);
  const entries = wanted.all ? snapshot.log() : snapshot.path(snapshot.branch(wanted.branch));
  for await (const entry of entries) yield await line(snapshot, cleaner.entry(entry));
}

/** The first line also contains the metadata that a store keeps beside the log. */
function headerLine({ info }: Snapshot, cleaner: Cleaner): string {
  const { id, key, createdAt, title, model, profileId, channel } = cleaner.value(info);
  const plain = encodeHeader({ id, key, createdAt, generation: 1 });
  const { _sum, ...members } = JSON.parse(plain.toString());
  const beside = { title, model, profile_id: profileId, channel };
  const known = Object.entries(beside).filter(([, value]) => value !== null);
  if (known.length === 0) return plain.toString();
  return sealObject({ ...members, ...Object.fromEntries(known) }).toString();
}

async function line(snapshot: Snapshot, entry: ExportEntry): Promise<string> {
  const { id, kind, at, seq, parentId, branch, operationId, references } = entry;
  const held = (entry.message ?? entry.data ?? null) as JsonObject | null;
  const attached = references.length === 0 ? {} : { attached: await attachments(snapshot, references) };
  const encoded = encodeEntry(
    { id, kind, at, json: JSON.stringify({ ...held, ...attached }) },
    { seq, parentId, branch, operationId, batch: undefined },
  );
  if (encoded.length > LINE_BYTES_MAX) {
    throw new ColloquyError(
      "NOT_SUPPORTED",
      `Entry ${id} is longer than the limit for a line of JSONL: export the conversation as json`,
    );
  }
  return encoded.toString();
}

/** Blobs that a message refers to by hash, in Base64, beside the message. */
async function attachments(snapshot: Snapshot, hashes: readonly string[]): Promise<JsonObject> {
  const found: Record<string, string> = {};
  for (const hash of new Set(hashes)) {
    const bytes = await snapshot.store.blob(hash);
    if (bytes === undefined) continue;
    found[hash] = (await Array.fromAsync(base64(bytes))).join("");
  }
  return found;
}
