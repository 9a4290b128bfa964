import { filledIn, objectIn, objectsIn, textIn } from "../../../util/values.ts";
import { ATTACHMENT_TYPES, BLOCK_TYPES, SIDE_TYPES, SYSTEM_SUBTYPES, TREE_TYPES } from "./kinds.ts";
import type { Line } from "./line.ts";

/** The unknown types in a line, as they appear in the report. */
export function unknownIn({ type, value, message }: Line): string[] {
  if (!TREE_TYPES.has(type)) return SIDE_TYPES.has(type) ? [] : [type === "" ? "(no type)" : type];
  const subtype = filledIn(value.subtype);
  if (type === "system" && subtype !== undefined) return unknown("system", subtype, SYSTEM_SUBTYPES);
  const attachment = textIn(objectIn(value.attachment)?.type);
  if (type === "attachment") return unknown("attachment", attachment ?? "(no type)", ATTACHMENT_TYPES);
  const blocks = objectsIn(message.content).map((block) => textIn(block.type) ?? "(no type)");
  return blocks.flatMap((block) => unknown("block", block, BLOCK_TYPES));
}

function unknown(what: string, type: string, known: ReadonlySet<string>): string[] {
  return known.has(type) ? [] : [`${what} ${type}`];
}
