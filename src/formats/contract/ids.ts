import { hash } from "node:crypto";
import { uuidFromHash } from "../../util/uuid.ts";

/** A stable id for something that has none: the same parts make the same id in every import. */
export function madeId(...parts: readonly (string | number)[]): string {
  return hash("sha256", JSON.stringify(parts), "hex").slice(0, 32);
}

/** The id in the store of a conversation of a source: the same in every import, on every machine. */
export function conversationIdOf(format: string, root: string): string {
  return uuidFromHash(`${format}\0${root}`);
}
