import { invalid } from "../../errors.ts";
import { checkKey } from "../../message/validate.ts";
import { isUuid } from "../../util/uuid.ts";

/** The id or session key of a conversation, checked before a store is opened or created. */
export function checkReference(text: string): string {
  if (text.includes(":")) return checkKey(text);
  if (isUuid(text)) return text.toLowerCase();
  throw invalid(`"${text}" is not a conversation id or session key (such as discord:dm:42)`, "id");
}
