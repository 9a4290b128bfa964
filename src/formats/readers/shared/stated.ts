import type { JsonObject } from "../../../util/json.ts";
import { filledIn, objectIn, timeIn } from "../../../util/values.ts";
import type { SourceConversation } from "../../contract/reader.ts";

/** The facts in the first line of a transcript, or in the file beside it. A session key is only used if the line states it. */
export function statedIn(header: JsonObject): Omit<SourceConversation, "sourceId"> {
  const key = filledIn(header.key) ?? filledIn(header.session_key);
  return {
    key: key !== undefined && /^[^:]+:./s.test(key) ? key : undefined,
    title: filledIn(header.title),
    model: filledIn(header.model) ?? filledIn(header.model_id),
    channel: filledIn(header.channel),
    profileId: filledIn(header.profile_id),
    contextState: objectIn(header.context_state),
    createdAt: timeIn(header.created_at) ?? timeIn(header.createdAt),
  };
}
