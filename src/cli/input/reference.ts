import { invalid } from "../../errors.ts";
import { checkKey } from "../../message/validate.ts";
import { checkBytes, checkText, KEY_BYTES_MAX } from "../../util/checked-text.ts";
import { isUuid } from "../../util/uuid.ts";

/**
 * How a user refers to a conversation, checked before a store is opened: id, session key, the start of either,
 * title, or row of the last list.
 */
export function checkReference(text: string): string {
  if (text.trim() === "") throw invalid("The conversation is empty: use its id, key or title", "id");
  checkBytes(checkText(text, "id", "conversation"), KEY_BYTES_MAX, "id", "conversation");
  return isUuid(text) ? text.toLowerCase() : text;
}

/** The same, if a new key is to create a conversation. */
export function checkNewReference(text: string): string {
  return text.includes(":") ? checkKey(text) : checkReference(text);
}
