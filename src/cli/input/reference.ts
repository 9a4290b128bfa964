import { invalid } from "../../errors.ts";
import { checkKey } from "../../message/validate.ts";
import { isUuid } from "../../util/uuid.ts";

/** What names a conversation on the command line. Checked before any store is opened or made. */
export function checkReference(text: string): string {
  if (text.includes(":")) return checkKey(text);
  if (isUuid(text)) return text.toLowerCase();
  throw invalid(
    `"${text}" is no conversation: an id or a session key such as discord:dm:42 is expected`,
    "id",
  );
}
