/**
 * Conversations of Codex CLI, in all shapes that its releases wrote: one JSON
 * value, bare lines, typed lines, and typed lines with turn items.
 */
import type { DocumentFormat, LinesFormat, Sink, SourceRecord, Surroundings } from "../../contract/reader.ts";
import { listIn, objectIn } from "../../contract/values.ts";
import { CodexReader } from "./reader.ts";
import { isCodexDocument, sniffsCodex } from "./sniff.ts";

export { codexNames } from "./names.ts";

export const codex: LinesFormat = {
  kind: "lines",
  name: "codex",
  sniff: sniffsCodex,
  open: (sink, around, state) => new CodexReader(sink, around.path, state),
};

export const codexDocument: DocumentFormat = {
  kind: "document",
  name: "codex",
  sniff: isCodexDocument,
  read: readDocument,
};

/** The session is what later became the first line, and the items became the others. */
function readDocument({ value }: SourceRecord, sink: Sink, around: Surroundings): void {
  const { items, ...header } = objectIn(value) ?? {};
  const reader = new CodexReader(sink, around.path, undefined);
  reader.begin({ value: header, ...NO_PLACE }, objectIn(header.session), true);
  for (const item of listIn(items)) reader.record({ value: item, ...NO_PLACE });
  reader.end(true);
}

const NO_PLACE = { line: null, offset: null };
