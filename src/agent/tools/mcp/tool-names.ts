import { sha256Hex } from "../../../util/sha256.ts";

const NAME_CHARS_MAX = 64;
const HASH_CHARS = 8;

/**
 * The name of a server's tool, `<server>_<tool>`, as every provider accepts it. One that is taken, too long or has
 * other characters gets a hash of both names, so that it is the same in every run.
 */
export function mcpToolName(server: string, tool: string, taken: ReadonlySet<string>): string {
  const plain = `${server}_${tool}`;
  const clean = plain.replace(/[^A-Za-z0-9_-]+/g, "_");
  if (clean === plain && clean.length <= NAME_CHARS_MAX && !taken.has(clean)) return clean;
  const hash = sha256Hex(JSON.stringify([server, tool])).slice(0, HASH_CHARS);
  return `${clean.slice(0, NAME_CHARS_MAX - HASH_CHARS - 1).replace(/_+$/, "")}_${hash}`;
}
