/** The description of a conversation, for its metadata and its first entry. */
import type { ConversationInfo, UpdatePatch } from "../../../engine/index.ts";
import { assertJson, type JsonObject } from "../../../util/json.ts";
import { madeId } from "../../contract/ids.ts";
import type { SourceConversation } from "../../contract/reader.ts";

/** The first entry, which says where the conversation comes from. */
export function introduction(format: string, start: SourceConversation): JsonObject {
  const { sourceId, parent, about, isCopy } = start;
  return {
    type: "import",
    format,
    source_id: sourceId,
    ...(isCopy === true ? { copy: true } : {}),
    ...(about === undefined ? {} : { about }),
    ...(parent === undefined ? {} : { parent: linkTo(format, parent) }),
  };
}

export function introductionId(conversation: string): string {
  return madeId("import", conversation);
}

function linkTo(
  format: string,
  { sourceId, toolUse, agent }: NonNullable<SourceConversation["parent"]>,
): JsonObject {
  return {
    key: `${format}:${sourceId}`,
    source_id: sourceId,
    ...(toolUse === undefined ? {} : { tool_use: toolUse }),
    ...(agent === undefined ? {} : { agent }),
  };
}

/** The session key of a conversation; `null` when it would not be a valid one. */
export function keyOf(format: string, { key, sourceId, verbatim }: SourceConversation): string | null {
  const wanted = key ?? (verbatim === true ? "" : `${format}:${sourceId}`);
  const fits = Buffer.byteLength(wanted) <= 512 && wanted.isWellFormed() && !/\p{Cc}/u.test(wanted);
  return fits && /^[^:]+:./.test(wanted) ? wanted : null;
}

export function channelOf(format: string, start: SourceConversation): string | null {
  const usual = start.verbatim === true ? (keyOf(format, start)?.split(":", 1)[0] ?? null) : format;
  return labelOf(start.channel) ?? usual;
}

/** What the source says and the store does not know yet. `isUnfinished`: an earlier import was killed. */
export function patchFor(
  info: ConversationInfo,
  start: SourceConversation,
  format: string,
  isUnfinished: boolean,
): UpdatePatch {
  const model = labelOf(start.model);
  const contextState = stateOf(start);
  // A killed import may have left files that say only what the session key implies.
  const channel = isUnfinished ? channelOf(format, start) : null;
  const profileId = isUnfinished ? (labelOf(start.profileId) ?? null) : null;
  return {
    ...(model !== undefined && info.model === null ? { model } : {}),
    ...(contextState !== undefined && info.contextState === null ? { contextState } : {}),
    ...(channel !== null && channel !== info.channel ? { channel } : {}),
    ...(profileId !== null && info.profileId === null ? { profileId } : {}),
  };
}

/** Left out when it is not a value that the store accepts. Its record is kept anyway. */
function stateOf({ contextState }: SourceConversation): JsonObject | undefined {
  try {
    assertJson(contextState ?? null, "contextState");
    return contextState;
  } catch {
    return undefined;
  }
}

/** A short name from a source, made valid for the store. */
export function labelOf(text: string | undefined): string | undefined {
  const clean = text
    ?.toWellFormed()
    .replace(/\p{Cc}+/gu, " ")
    .slice(0, 64);
  return clean === "" ? undefined : clean;
}
