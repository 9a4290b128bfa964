/** The first line of a pi session, and facts from its path. */
import { defined, type JsonObject } from "../../../../util/json.ts";
import { filledIn, timeIn } from "../../../../util/values.ts";
import { madeId } from "../../../contract/ids.ts";
import type { SourceConversation } from "../../../contract/reader.ts";
import { idIn } from "../whole-tree-blocks.ts";

/** Facts about a transcript from outside the file. */
export type PiOrigin = Partial<SourceConversation>;

const KNOWN = new Set([
  ...["type", "version", "id", "timestamp", "cwd", "parentSession", "branchedFrom", "name", "title"],
  ...["provider", "modelId", "thinkingLevel"],
]);

export function conversationIn(
  header: JsonObject,
  origin: PiOrigin,
  title: string | undefined,
): SourceConversation {
  const metadata = Object.fromEntries(Object.entries(header).filter(([member]) => !KNOWN.has(member)));
  const about = defined({
    cwd: filledIn(header.cwd),
    version: header.version,
    parent_session: filledIn(header.parentSession) ?? filledIn(header.branchedFrom),
    metadata: Object.keys(metadata).length > 0 ? metadata : undefined,
  });
  return {
    title: title ?? filledIn(header.title) ?? filledIn(header.name),
    model: filledIn(header.modelId),
    createdAt: timeIn(header.timestamp),
    ...origin,
    sourceId: origin.sourceId ?? idIn(header.id) ?? madeId("pi"),
    about: { ...about, ...origin.about },
  };
}

/** Shared by all copies of a conversation. The first version had no ids that a copy could keep. */
export function rootIn(first: JsonObject): string | undefined {
  const id = filledIn(first.id);
  return id === undefined ? undefined : `${id} ${filledIn(first.timestamp) ?? ""}`;
}
