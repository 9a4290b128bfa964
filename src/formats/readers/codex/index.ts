/**
 * Conversations of Codex CLI, in all shapes that its releases wrote: one JSON
 * value, bare lines, typed lines, and typed lines with turn items.
 */
import { join } from "node:path";
import { listIn, objectIn } from "../../../util/values.ts";
import type { FormatWith } from "../../contract/format.ts";
import type { Sink, SourceRecord, Surroundings } from "../../contract/reader.ts";
import { unplaced } from "../shared/records.ts";
import { codexBase, hasRollout, withAllOfCodex } from "./base.ts";
import { CodexReader } from "./reader.ts";
import { codexResume } from "./resume.ts";
import { isCodexDocument, sniffsCodex } from "./sniff.ts";
import { describeThread } from "./thread-names.ts";

export const codex: FormatWith<"lines" | "document"> = {
  name: "codex",
  lines: {
    sniff: sniffsCodex,
    base: codexBase,
    hasBase: hasRollout,
    open: (sink, around, state, base) => new CodexReader(sink, around.path, state, base),
  },
  document: {
    sniff: isCodexDocument,
    read: readDocument,
  },
  companions: /\/session_index\.jsonl$/,
  sideFile: {
    isShared: true,
    names: () => ["../../../../session_index.jsonl", "../session_index.jsonl", "session_index.jsonl"],
    within: withAllOfCodex,
    read: describeThread,
  },
  home: { folders: [".codex", ".codex/sessions", ".codex/archived_sessions"] },
  resume: codexResume,
  // The folder itself: the names of threads are beside the sessions.
  usualPlaces: ({ home, environment }) => [
    { tool: "Codex", path: environment.CODEX_HOME || join(home, ".codex") },
  ],
};

/** The session corresponds to the first line of later files, and the items to the other lines. */
function readDocument({ value }: SourceRecord, sink: Sink, around: Surroundings): void {
  const { items, ...header } = objectIn(value) ?? {};
  const reader = new CodexReader(sink, around.path, undefined);
  reader.begin(unplaced(header), objectIn(header.session), true);
  for (const item of listIn(items)) reader.record(unplaced(item));
  reader.end(true);
}
