import { sha256Hex } from "../../util/sha256.ts";

const WORDS_MAX = 4;
const LETTERS_MAX = 24;

/**
 * The name of the branch of an edited message: its first words, for people, and a part of the hash. A retry must choose
 * the same name, and another edit with the same words must not.
 */
export function editName(text: string, operationId: string): string {
  const words = (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? ["edit"]).slice(0, WORDS_MAX).join("-");
  const stem = [...words].slice(0, LETTERS_MAX).join("").replace(/-$/, "");
  return `${stem}-${sha256Hex(operationId).slice(0, 4)}`;
}
