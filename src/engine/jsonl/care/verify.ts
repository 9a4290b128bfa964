import { join } from "node:path";
import { zstdDecompressSync } from "node:zlib";
import { pieces } from "../../../disk/copy-file.ts";
import type { FileIo } from "../../../disk/file-io.ts";
import { readChunk } from "../../../disk/line-scan.ts";
import { withFile } from "../../../disk/with-file.ts";
import { sha256 } from "../../../util/sha256.ts";
import type { Finding, VerifyReport } from "../../queries.ts";
import type { BlobFiles, StoredBlob } from "../blobs/blob-files.ts";
import { feedFindings } from "../feed/feed-check.ts";
import { logName, purgedStemOf, stemOf, TRASH_FOLDER } from "../folder/names.ts";
import type { JsonlContext } from "../jsonl-context.ts";
import { legacyFindings } from "../legacy/report.ts";
import { type Checked, verifyConversation } from "./verify-log.ts";

/** Read every line of every conversation and every blob. No cache is trusted. */
export function verifyFolder(context: JsonlContext): VerifyReport {
  const { io, folder, blobs, legacy } = context;
  const findings: Finding[] = [];
  const sources = new Map<string, string>();
  let conversations = 0;
  let entries = 0;
  const purging = new Set(io.list(folder).map(purgedStemOf));
  for (const place of [folder, join(folder, TRASH_FOLDER)]) {
    if (io.stat(place) === undefined) continue;
    const stems = new Set(io.list(place).flatMap((name) => stemOf(name) ?? []));
    for (const stem of stems) {
      const source = join(place, logName(stem));
      legacy.notice(source);
      const checked = purging.has(stem) ? undefined : verifyConversation(io, folder, place, stem);
      if (checked === undefined) continue;
      const file = place === folder ? legacy.ofStem(stem) : undefined;
      findings.push(...(file === undefined ? checked.findings : legacyFindings(file)));
      findings.push(...twins(checked, source, sources));
      findings.push(...missingBlobs(blobs, checked, source));
      conversations += checked.isConversation ? 1 : 0;
      entries += checked.entries;
    }
  }
  for (const path of legacy.others()) {
    const message = "unknown format: try colloquy import";
    findings.push({ code: "foreign-file", conversation: null, source: path, line: null, message });
  }
  findings.push(...damagedBlobs(io, blobs));
  findings.push(...feedFindings(context));
  return { ok: findings.length === 0, conversations, entries, findings };
}

/** Finds copies of a conversation, of which only one can be used. */
function twins({ conversation }: Checked, source: string, sources: Map<string, string>): Finding[] {
  if (conversation === null) return [];
  const first = sources.get(conversation);
  if (first === undefined) sources.set(conversation, source);
  const message = `it has the same conversation id as ${first}`;
  return first === undefined
    ? []
    : [{ code: "duplicate-conversation", conversation, source, line: null, message }];
}

function missingBlobs(files: BlobFiles, { conversation, blobs }: Checked, source: string): Finding[] {
  return [...blobs]
    .filter((hash) => files.find(hash) === undefined)
    .map((hash) => ({
      ...{ code: "missing-blob", conversation, source, line: null },
      message: `blob ${hash} is missing`,
    }));
}

function* damagedBlobs(io: FileIo, files: BlobFiles): Generator<Finding> {
  for (const blob of files.all()) {
    if (hashOf(io, blob) === blob.hash) continue;
    const message = `the content of blob ${blob.hash} does not match its hash`;
    yield { code: "bad-blob", conversation: null, source: blob.path, line: null, message };
  }
}

/** `undefined` if the bytes cannot be decompressed. */
function hashOf(io: FileIo, { path, encoding, fileBytes }: StoredBlob): string | undefined {
  const hash = sha256();
  return withFile(io, path, "read", (file) => {
    try {
      if (encoding === "zstd") hash.update(zstdDecompressSync(readChunk(io, file, 0, fileBytes)));
      else for (const piece of pieces(io, file, 0, fileBytes)) hash.update(piece);
      return hash.digest("hex");
    } catch {
      return undefined;
    }
  });
}
