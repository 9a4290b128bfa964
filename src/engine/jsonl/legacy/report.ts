/** Describes the conversations in legacy files. */

import type { LegacyConversation } from "../../engine.ts";
import type { Finding } from "../../queries.ts";
import type { JsonlContext } from "../jsonl-context.ts";
import type { LegacyFile } from "./legacy-file.ts";

export function legacyConversations({ catalogue, legacy }: JsonlContext): LegacyConversation[] {
  return catalogue.all().flatMap(({ stem, metadata }) => {
    const file = legacy.ofStem(stem);
    if (file === undefined) return [];
    return [{ conversation: metadata.id, source: file.files.log, findings: legacyFindings(file) }];
  });
}

/** The problems of a legacy file, by its own line numbers. */
export function legacyFindings(file: LegacyFile): Finding[] {
  const conversation = file.facts.header.id;
  const source = file.files.log;
  const findings: Finding[] = file.problems.map(({ code, line, start, end, reason }) => ({
    code,
    conversation,
    source,
    line,
    message: `${reason} (bytes ${start} to ${end})`,
  }));
  const { pendingBytes } = file;
  if (pendingBytes === 0) return findings;
  const message = `the last ${pendingBytes} bytes are not a complete line`;
  return [...findings, { code: "torn-tail", conversation, source, line: null, message }];
}
