import { join } from "node:path";
import type { FileIo } from "../../../disk/file-io.ts";
import { nextLoopTurn } from "../../../util/loop-turn.ts";
import { inOneGo, withPauses } from "../../../util/steps.ts";
import { FindingList } from "../../findings.ts";
import type { Finding, VerifyReport } from "../../queries.ts";
import { feedFindings } from "../feed/feed-check.ts";
import { logName, purgedStemOf, stemOf, TRASH_FOLDER } from "../folder/names.ts";
import { jobFindings } from "../jobs/verify-jobs.ts";
import type { JsonlContext } from "../jsonl-context.ts";
import { legacyFindings } from "../legacy/report.ts";
import { damageOf, missingBlobs } from "./verify-blobs.ts";
import { type Checked, verifyConversation } from "./verify-log.ts";

/** Read every line of every conversation and every blob. No cache is trusted. The event loop turns in between. */
export async function verifyFolder(context: JsonlContext): Promise<VerifyReport> {
  const { io, folder, blobs, legacy, marks } = context;
  const list = new FindingList();
  const sources = new Map<string, string>();
  let conversations = 0;
  let entries = 0;
  const purging = new Set(io.list(folder).map(purgedStemOf));
  for (const place of [folder, join(folder, TRASH_FOLDER)]) {
    if (io.stat(place) === undefined) continue;
    const stems = new Set(io.list(place).flatMap((name) => stemOf(name) ?? []));
    for (const stem of stems) {
      await nextLoopTurn();
      const source = join(place, logName(stem));
      legacy.notice(source);
      const checked = purging.has(stem) ? undefined : await verifyFile(context, place, stem);
      if (checked === undefined) continue;
      const file = place === folder ? legacy.ofStem(stem) : undefined;
      list.addAll(file === undefined ? checked.findings : legacyFindings(file));
      list.addAll(twins(io, checked, source, sources));
      for (const { finding } of missingBlobs(blobs, checked.conversation, checked.blobs, source))
        list.add(finding);
      conversations += checked.isConversation ? 1 : 0;
      entries += checked.entries;
    }
  }
  for (const path of legacy.others()) {
    const message = "unknown format: try colloquy import";
    list.add({ code: "foreign-file", conversation: null, source: path, line: null, message });
  }
  for (const blob of blobs.all()) {
    const damage = damageOf(io, blob);
    if (damage !== undefined) list.add(damage.finding);
    await nextLoopTurn();
  }
  for (const line of marks.unreadable()) {
    const message = "the mark of a purged conversation does not match its checksum";
    list.add({ code: "bad-mark", conversation: null, source: marks.path, line, message });
  }
  list.addAll(jobFindings(context));
  const isFeedRight = (await withPauses(feedFindings(context))).length === 0;
  // Others may have written during a pause.
  if (!isFeedRight) list.addAll(inOneGo(feedFindings(context)));
  const findings = list.list();
  return { ok: findings.length === 0, conversations, entries, findings };
}

async function verifyFile(
  { io, folder }: JsonlContext,
  place: string,
  stem: string,
): Promise<Checked | undefined> {
  const source = join(place, logName(stem));
  const before = io.stat(source)?.inode;
  const checked = await withPauses(verifyConversation(io, folder, place, stem));
  const now = io.stat(source)?.inode;
  if (now === before) return checked;
  // Moved, rewritten or purged during a pause.
  return now === undefined ? undefined : inOneGo(verifyConversation(io, folder, place, stem));
}

/** Finds copies of a conversation, of which only one can be used. */
function twins(
  io: FileIo,
  { conversation }: Checked,
  source: string,
  sources: Map<string, string>,
): Finding[] {
  if (conversation === null) return [];
  const first = sources.get(conversation);
  // One that is gone was moved here in the meantime.
  if (first === undefined || io.stat(first) === undefined) {
    sources.set(conversation, source);
    return [];
  }
  const message = `it has the same conversation id as ${first}`;
  return [{ code: "duplicate-conversation", conversation, source, line: null, message }];
}
